// A vector<bool>, whose elements are no objects, is read like any other range.
#include "support.hpp"

#include <dozer/algorithm.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

namespace {

class Bits : public ::testing::Test {
 protected:
  static constexpr std::size_t size = 3000;
  Bits() {
    for (std::size_t i = 0; i < size; ++i) {
      bits[i] = i % 3 == 1;
    }
  }
  std::vector<bool> bits = std::vector<bool>(size);  // not const: its references could be written through
  std::vector<char> chars() const { return {bits.begin(), bits.end()}; }
};

TEST_F(Bits, AreTransformedAndCopied) {
  dozer_test::everywhere([&] {
    std::vector<char> out(size), both(size), copied(size), hits(size);
    EXPECT_EQ(dozer::transform(bits, out.begin(), [](bool bit) { return static_cast<char>(2 * bit); }), out.end());
    EXPECT_TRUE(std::equal(out.begin(), out.end(), bits.begin(), [](char n, bool bit) { return n == 2 * bit; }));
    dozer::transform(bits, bits, both.begin(), [](bool a, bool b) { return static_cast<char>(a + b); });
    EXPECT_EQ(both, out);
    EXPECT_EQ(dozer::copy(bits, copied.begin()), copied.end());
    EXPECT_EQ(copied, chars());
    const auto end = dozer::copy_if(bits.begin(), bits.end(), hits.begin(), [](bool bit) { return bit; });
    EXPECT_EQ(end - hits.begin(), 1000);
    EXPECT_TRUE(std::all_of(hits.begin(), end, [](char n) { return n == 1; }));
  });
}

TEST_F(Bits, AreReduced) {
  dozer_test::everywhere([&] {
    EXPECT_EQ(dozer::reduce(bits, 0), 1000);
    EXPECT_EQ(dozer::reduce_deterministic(bits, 0), 1000);
    EXPECT_EQ(dozer::min_element(bits), bits.begin());
    EXPECT_EQ(dozer::max_element(bits), bits.begin() + 1);
    EXPECT_EQ(dozer::histogram(bits, 2, [](bool bit) { return bit ? 1 : 0; }),
              (std::vector<std::uint64_t>{2000, 1000}));
    std::vector<int> sums(size), expected(size);
    std::inclusive_scan(bits.begin(), bits.end(), expected.begin(), std::plus<>(), 0);
    dozer::inclusive_scan(bits, sums.begin(), std::plus<>(), 0);
    EXPECT_EQ(sums, expected);
  });
}

TEST_F(Bits, AreCompared) {
  auto other = bits;
  other[2500].flip();
  auto sorted = bits;
  std::sort(sorted.begin(), sorted.end());
  dozer_test::everywhere([&] {
    EXPECT_TRUE(dozer::equal(bits, chars()));
    EXPECT_FALSE(dozer::equal(bits, other));
    EXPECT_EQ(dozer::mismatch(bits, other).first, bits.begin() + 2500);
    EXPECT_FALSE(dozer::is_sorted(bits));
    std::vector<char> merged(2 * size);
    EXPECT_EQ(dozer::merge(sorted, sorted, merged.begin()), merged.end());
    EXPECT_EQ(std::find(merged.begin(), merged.end(), 1) - merged.begin(), 2 * 2000);
    EXPECT_TRUE(std::is_sorted(merged.begin(), merged.end()));
  });
}

}  // namespace
