// The Game of Life in a pool of its own. The main thread stays inside while it makes hundreds of small loops, cells are
// counted in the background, and a library function works in the pool of its caller.
#include <dozer/dozer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <numeric>
#include <vector>

namespace {

constexpr std::size_t size = 128;
constexpr int generations = 60, report_every = 20;
using board = std::vector<unsigned char>;  // 1: alive. The border stays dead

/// A glider, and a row that grows into much more. All of it is in the lower half.
board first_generation() {
  board b(size * size);
  for (const std::size_t at : {66 * size + 11, 67 * size + 12, 68 * size + 10, 68 * size + 11, 68 * size + 12}) {
    b[at] = 1;
  }
  std::fill_n(b.begin() + 100 * size + 20, 80, static_cast<unsigned char>(1));
  return b;
}

bool is_empty(const unsigned char* row) { return std::count(row, row + size, 1) == 0; }

void next_row(const board& now, board& next, std::size_t row) {
  const unsigned char* const here = now.data() + row * size;
  unsigned char* const out = next.data() + row * size;
  if (is_empty(here - size) && is_empty(here) && is_empty(here + size)) {
    std::fill_n(out, size, static_cast<unsigned char>(0));
    return;
  }
  for (std::size_t i = 1; i < size - 1; ++i) {
    int around = -here[i];
    for (const unsigned char* r : {here - size, here, here + size}) {
      around += r[i - 1] + r[i] + r[i + 1];
    }
    out[i] = around == 3 || (around == 2 && here[i] == 1) ? 1 : 0;
  }
}

/// What a library might have. It asks for no pool: it works in that of its caller, in as many parts as suit it.
long population(const board& b) {
  const std::size_t parts = 4 * dozer::current_pool().threads();
  std::vector<long> alive(parts);
  dozer::parallel_for(std::size_t{0}, parts, [&](std::size_t i) {
    const auto at = [&](std::size_t part) { return b.begin() + static_cast<std::ptrdiff_t>(b.size() * part / parts); };
    alive[i] = std::count(at(i), at(i + 1), 1);
  });
  return std::reduce(alive.begin(), alive.end());
}

}  // namespace

int main() {
  dozer::thread_pool pool({.threads = 3, .name = "life"});
  board now = first_generation(), next(now.size()), serial = now, serial_next = next;
  bool right = true;

  std::vector<dozer::future<long>> reports;
  std::vector<long> expected;
  {
    // From here to the end of the block this thread is inside the pool, in the seat of a worker that sleeps. Each loop
    // below would enter and leave the pool otherwise.
    const dozer::pool_stay stay = pool.enter();
    right = right && &dozer::current_pool() == &pool && dozer::current_thread_index().has_value();
    for (int i = 0; i < generations; ++i) {
      // Most rows are empty and take no time, which says nothing about the others: so the loop is told how many rows to
      // take at a time, and does not learn it from the first ones.
      dozer::parallel_for(std::size_t{1}, size - 1, [&](std::size_t row) { next_row(now, next, row); }, {.grain = 4});
      std::swap(now, next);
      if (i % report_every == 0) {
        // In the background, while the next generations are made: of a copy of the board.
        reports.push_back(pool.submit([b = now] { return population(b); }));
      }
    }
  }
  right = right && !dozer::current_thread_index().has_value();  // outside again

  for (int i = 0; i < generations; ++i) {
    for (std::size_t row = 1; row < size - 1; ++row) {
      next_row(serial, serial_next, row);
    }
    std::swap(serial, serial_next);
    if (i % report_every == 0) {
      expected.push_back(std::count(serial.begin(), serial.end(), 1));
    }
  }
  right = right && now == serial;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    right = right && reports[i].get() == expected[i];
  }

  // Once in each seat, each with its own slice: for what belongs to a thread rather than to an element.
  const std::vector<long> slices = pool.broadcast([&](dozer::broadcast_context c) {
    const std::size_t first = size * c.index() / c.num_threads(), last = size * (c.index() + 1) / c.num_threads();
    return static_cast<long>(std::count(now.data() + first * size, now.data() + last * size, 1));
  });
  const long alive = std::reduce(slices.begin(), slices.end());
  right = right && slices.size() == pool.threads() && alive == std::count(serial.begin(), serial.end(), 1);

  std::printf("%ld cells are alive after %d generations, %s\n", alive, generations, right ? "as in serial" : "WRONG");
  return right ? 0 : 1;
}
