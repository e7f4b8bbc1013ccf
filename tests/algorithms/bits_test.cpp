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
    EXPECT_EQ(dozer::minmax_element(bits), std::minmax_element(bits.begin(), bits.end()));
    EXPECT_EQ(dozer::transform_reduce(bits, 0, std::plus<>(), [](bool bit) { return 2 * bit; }), 2000);
    EXPECT_EQ(dozer::transform_reduce(bits, bits, 0), 1000);
    EXPECT_EQ(dozer::histogram(bits, 2, [](bool bit) { return bit ? 1 : 0; }),
              (std::vector<std::uint64_t>{2000, 1000}));
  });
}

TEST_F(Bits, AreScanned) {
  const auto twice = [](bool bit) { return 2 * bit; };
  std::vector<int> inclusive(size), exclusive(size), twice_inclusive(size), twice_exclusive(size);
  std::inclusive_scan(bits.begin(), bits.end(), inclusive.begin(), std::plus<>(), 0);
  std::exclusive_scan(bits.begin(), bits.end(), exclusive.begin(), 7);
  std::transform_inclusive_scan(bits.begin(), bits.end(), twice_inclusive.begin(), std::plus<>(), twice);
  std::transform_exclusive_scan(bits.begin(), bits.end(), twice_exclusive.begin(), 7, std::plus<>(), twice);
  dozer_test::everywhere([&] {
    std::vector<int> sums(size);
    for (const std::size_t grain : {0u, 100u}) {
      dozer::inclusive_scan(bits, sums.begin(), std::plus<>(), 0, {.grain = grain});
      EXPECT_EQ(sums, inclusive);
      dozer::exclusive_scan(bits, sums.begin(), 7, {.grain = grain});
      EXPECT_EQ(sums, exclusive);
      dozer::transform_inclusive_scan(bits, sums.begin(), std::plus<>(), twice, {.grain = grain});
      EXPECT_EQ(sums, twice_inclusive);
      dozer::transform_exclusive_scan(bits, sums.begin(), 7, std::plus<>(), twice, {.grain = grain});
      EXPECT_EQ(sums, twice_exclusive);
    }
  });
}

TEST_F(Bits, AreSearchedAndCounted) {
  const auto is_set = [](bool bit) { return bit; };
  std::vector<bool> late(size), full(size, true);  // all are clear but one; all are set
  late[2500] = true;
  dozer_test::everywhere([&] {
    EXPECT_TRUE(dozer::any_of(late, is_set));
    EXPECT_FALSE(dozer::none_of(late, is_set));
    EXPECT_FALSE(dozer::all_of(bits, is_set));
    EXPECT_TRUE(dozer::all_of(full, is_set));
    EXPECT_FALSE(dozer::any_of(late.begin(), late.begin() + 2500, is_set));
    EXPECT_TRUE(dozer::none_of(late.begin(), late.begin() + 2500, is_set));
    EXPECT_EQ(dozer::find_if(late, is_set), late.begin() + 2500);
    EXPECT_EQ(dozer::find_if_not(full, is_set), full.end());
    EXPECT_EQ(dozer::find(late, true), late.begin() + 2500);
    EXPECT_EQ(dozer::count_if(bits, is_set), 1000);
    EXPECT_EQ(dozer::count(bits, false), 2000);
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
