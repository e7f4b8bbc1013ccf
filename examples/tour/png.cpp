// PNG is a list of chunks with check sums. The points are in a zlib stream, and that may consist of stored blocks: no
// compressor is needed.
#include "png.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string_view>

namespace tour {

namespace {

using bytes = std::vector<std::uint8_t>;

void append_big_endian(bytes& to, std::uint32_t n) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    to.push_back(static_cast<std::uint8_t>(n >> shift));
  }
}

std::uint32_t crc32(const std::uint8_t* first, const std::uint8_t* last) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t r = i;
      for (int bit = 0; bit < 8; ++bit) {
        r = (r >> 1) ^ ((r & 1) != 0 ? 0xedb88320u : 0);
      }
      t[i] = r;
    }
    return t;
  }();
  std::uint32_t r = 0xffffffffu;
  for (; first != last; ++first) {
    r = (r >> 8) ^ table[(r ^ *first) & 0xff];
  }
  return ~r;
}

std::uint32_t adler32(const bytes& data) {
  std::uint32_t a = 1, b = 0;
  for (const std::uint8_t byte : data) {
    a = (a + byte) % 65'521;
    b = (b + a) % 65'521;
  }
  return b << 16 | a;
}

void append_chunk(bytes& to, std::string_view name, const bytes& data) {
  append_big_endian(to, static_cast<std::uint32_t>(data.size()));
  const std::size_t checked = to.size();
  to.insert(to.end(), name.begin(), name.end());
  to.insert(to.end(), data.begin(), data.end());
  append_big_endian(to, crc32(to.data() + checked, to.data() + to.size()));
}

bytes zlib_stored(const bytes& data) {
  bytes stream{0x78, 0x01};
  constexpr std::size_t most = 65'535;
  for (std::size_t from = 0; from < data.size(); from += most) {
    const std::size_t n = std::min(most, data.size() - from);
    const auto low = static_cast<std::uint8_t>(n & 0xff), high = static_cast<std::uint8_t>(n >> 8);
    stream.push_back(from + n == data.size() ? 1 : 0);  // the last block
    for (const int part : {+low, +high, ~low, ~high}) {
      stream.push_back(static_cast<std::uint8_t>(part & 0xff));
    }
    const auto begin = data.begin() + static_cast<std::ptrdiff_t>(from);
    stream.insert(stream.end(), begin, begin + static_cast<std::ptrdiff_t>(n));
  }
  append_big_endian(stream, adler32(data));
  return stream;
}

bytes header(const picture& p) {
  bytes h;
  append_big_endian(h, static_cast<std::uint32_t>(p.width));
  append_big_endian(h, static_cast<std::uint32_t>(p.height));
  h.insert(h.end(), {8, 3, 0, 0, 0});  // 8 bits a point, of a palette; not interlaced
  return h;
}

bytes palette(const picture& p) {
  bytes all;
  for (const colour& c : p.palette) {
    all.push_back(c.red);
    all.push_back(c.green);
    all.push_back(c.blue);
  }
  return all;
}

/// Each row begins with the number of its filter, 0 for none.
bytes rows(const picture& p) {
  bytes all;
  all.reserve(p.height * (p.width + 1));
  for (std::size_t y = 0; y < p.height; ++y) {
    all.push_back(0);
    const auto begin = p.points.begin() + static_cast<std::ptrdiff_t>(y * p.width);
    all.insert(all.end(), begin, begin + static_cast<std::ptrdiff_t>(p.width));
  }
  return all;
}

}  // namespace

void write_png(const picture& p, const std::string& path) {
  bytes file{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  append_chunk(file, "IHDR", header(p));
  append_chunk(file, "PLTE", palette(p));
  append_chunk(file, "IDAT", zlib_stored(rows(p)));
  append_chunk(file, "IEND", {});
  std::FILE* const out = std::fopen(path.c_str(), "wb");
  const bool written = out != nullptr && std::fwrite(file.data(), 1, file.size(), out) == file.size();
  if (out == nullptr || std::fclose(out) != 0 || !written) {
    throw std::runtime_error("cannot write " + path);
  }
}

}  // namespace tour
