// The Mandelbrot set: a loop over rows, colours by a histogram, a scan and a transform, and jobs of a scope.
#include "compare.hpp"
#include "png.hpp"
#include "tour.hpp"

#include <dozer/dozer.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <vector>

namespace tour {

namespace {

constexpr int width = 900, height = 600, most = 300;

/// After how many steps of z -> z^2 + c, for each point c of a row, z is no longer small; or `most`.
void mandelbrot_row(int y, std::uint16_t* steps) {
  for (int x = 0; x < width; ++x) {
    const double cr = -2.4 + 3.6 * x / width, ci = -1.2 + 2.4 * y / height;
    double r = 0, i = 0;
    int n = 0;
    while (n < most && r * r + i * i < 4) {
      const double t = r * r - i * i + cr;
      i = 2 * r * i + ci;
      r = t;
      ++n;
    }
    steps[x] = static_cast<std::uint16_t>(n);
  }
}

/// From blue far away from the set to brown close to it; x from 0 to 1.
colour shade(double x) {
  static constexpr std::array<std::array<double, 3>, 6> stops{
      {{9, 14, 60}, {24, 82, 177}, {120, 190, 230}, {250, 245, 210}, {240, 150, 30}, {70, 15, 5}}};
  const double at = x * (stops.size() - 1);
  const auto from = std::min(static_cast<std::size_t>(at), stops.size() - 2);
  const auto mixed = [&](std::size_t part) {
    const double share = at - static_cast<double>(from);
    return static_cast<std::uint8_t>((1 - share) * stops[from][part] + share * stops[from + 1][part]);
  };
  return {mixed(0), mixed(1), mixed(2)};
}

/// Points inside are black. Of the others each colour gets equally many.
picture painted(const std::vector<std::uint16_t>& steps) {
  const auto points_with = dozer::histogram(steps, most + 1, [](std::uint16_t n) { return n; });
  std::vector<std::uint64_t> points_up_to(points_with.size());
  dozer::inclusive_scan(points_with, points_up_to.begin());
  const double outside = static_cast<double>(points_up_to[most - 1]);

  picture p{width, height, {}, std::vector<std::uint8_t>(steps.size())};
  for (int i = 1; i < 256; ++i) {
    p.palette[static_cast<std::size_t>(i)] = shade(std::pow(i / 255.0, 3));
  }
  dozer::transform(steps, p.points.begin(), [&](std::uint16_t n) {
    return static_cast<std::uint8_t>(n == most ? 0 : 1 + 254 * (static_cast<double>(points_up_to[n]) / outside));
  });
  return p;
}

}  // namespace

void show_picture(const std::string& path) {
  headline("parallel_for: a loop whose iterations run in any order");
  std::vector<std::uint16_t> steps(std::size_t{width} * height);
  const auto row = [&](int y) { mandelbrot_row(y, steps.data() + std::ptrdiff_t{y} * width); };
  compare(
      "Mandelbrot, a loop over 600 rows",
      [&] {
        for (int y = 0; y < height; ++y) {
          row(y);
        }
      },
      [&] { dozer::parallel_for(0, height, row); });

  headline("histogram, inclusive_scan, transform: steps become colours");
  const picture made = painted(steps);
  std::printf("  points inside are black; of the others each of 255 colours has as many as the next\n");

  headline("scope: as many jobs as you like, all done when it ends");
  try {
    std::ptrdiff_t inside = 0;
    dozer::scope([&](dozer::spawner& s) {
      s.spawn([&] { write_png(made, path); });
      s.spawn([&] { inside = dozer::count(steps, std::uint16_t{most}); });
    });
    std::printf("  one job counted %td points in the set, the other one wrote the picture to %s\n", inside,
                std::filesystem::absolute(path).c_str());
  } catch (const std::exception& e) {
    std::printf("  no picture: %s\n", e.what());
  }

  headline("worker_local: a counter for each member");
  dozer::worker_local<int> rows;
  dozer::parallel_for(0, height, [&](int y) {
    row(y);
    ++rows.local();
  });
  std::printf("  rows made by each member:");
  rows.for_each([](int n) { std::printf(" %d", n); });
  std::printf("; in all %d\n", rows.combine([](int a, int b) { return a + b; }));
}

}  // namespace tour
