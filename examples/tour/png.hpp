// A picture in a file that any viewer opens.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tour {

struct colour {
  std::uint8_t red, green, blue;
};

/// A picture of up to 256 colours, row by row, each point the number of a colour.
struct picture {
  std::size_t width, height;
  std::array<colour, 256> palette;
  std::vector<std::uint8_t> points;
};

/// As a PNG that is not compressed. Throws std::runtime_error if the file cannot be written.
void write_png(const picture& p, const std::string& path);

}  // namespace tour
