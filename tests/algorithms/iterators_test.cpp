// Iterators that are no pointers and cannot say how far away an element is that is not in the range; and elements from
// a namespace with functions of many names.
#include <dozer/algorithm.hpp>
#include <dozer/detail/ordering.hpp>
#include <dozer/parallel_for.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <compare>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

/// What a library may have beside its types. A call without a namespace, of one of these names with elements of that
/// type, finds them, too.
namespace crowded {

struct item {
  int key;
  friend bool operator==(const item&, const item&) = default;
  friend auto operator<=>(const item&, const item&) = default;
};

// clang-format off
template <class I, class N> void after(I, N) = delete;
template <class I, class S> void count_of(I, S) = delete;
template <class I> void plain(I) = delete;
template <class I> void stir(I, I) = delete;
template <class I, class Less> void sort_three(I, I, I, Less&) = delete;
template <class I, class Less> void choose_pivot(I, I, Less&) = delete;
template <class I, class Less> void insertion_sort(I, I, Less) = delete;
template <class I, class Less> void heap_sort(I, I, Less) = delete;
template <class I, class Less> void first_cost(I, Less) = delete;
template <class... T> void quicksort(T&&...) = delete;
template <class... T> void split_at_pivot(T&&...) = delete;
template <class... T> void merge_sort(T&&...) = delete;
template <class... T> void run_loop(T&&...) = delete;
template <class I, class S, class F> void parallel_for(I, S, F) = delete;
// clang-format on

}  // namespace crowded

namespace {

/// Of an int, with differences of 16 bits.
class near_by {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = int;
  using difference_type = std::int16_t;
  using pointer = int*;
  using reference = int&;

  near_by() = default;
  explicit near_by(int* at) : at_(at) {}
  int& operator*() const { return *at_; }
  int& operator[](difference_type n) const { return at_[n]; }
  near_by& operator+=(difference_type n) { return at_ += n, *this; }
  near_by& operator-=(difference_type n) { return at_ -= n, *this; }
  near_by& operator++() { return ++at_, *this; }
  near_by& operator--() { return --at_, *this; }
  near_by operator++(int) { return near_by(at_++); }
  near_by operator--(int) { return near_by(at_--); }
  friend near_by operator+(near_by i, difference_type n) { return i += n; }
  [[maybe_unused]] friend near_by operator+(difference_type n, near_by i) { return i += n; }
  friend near_by operator-(near_by i, difference_type n) { return i -= n; }
  friend difference_type operator-(near_by a, near_by b) { return static_cast<difference_type>(a.at_ - b.at_); }
  friend auto operator<=>(const near_by&, const near_by&) = default;

 private:
  int* at_ = nullptr;
};
static_assert(std::random_access_iterator<near_by>);

/// As many as there can be.
constexpr int most = std::numeric_limits<near_by::difference_type>::max();

std::vector<int> shuffled_numbers() {
  std::vector<int> v(most);
  for (int i = 0; i != most; ++i) {
    v[static_cast<std::size_t>(i)] = static_cast<int>(std::int64_t{i} * 9973 % most);
  }
  return v;
}

class Near : public ::testing::Test {
 protected:
  std::vector<int> v = shuffled_numbers();
  near_by first{v.data()}, last{v.data() + most};
};

TEST_F(Near, HeapSort) {
  dozer::detail::heap_sort(first, last, std::less<>());
  EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
}

TEST_F(Near, MovesAreCountedBeyondThatType) {
  // An element goes 8 places, which is little, and the last one goes to the front: more in all than the type can say.
  std::iota(v.begin(), v.end(), 0);
  std::rotate(v.begin(), v.begin() + 8, v.begin() + 9);
  v.back() = -1;
  EXPECT_FALSE(dozer::detail::sort_if_nearly_sorted(first, last, std::less<>()));
}

TEST_F(Near, AreReadLikeOthers) {
  EXPECT_EQ(dozer::reduce(first, last, 0L), long{most} * (most - 1) / 2);
  EXPECT_EQ(dozer::count_if(first, last, [](int) { return true; }), most);
  EXPECT_EQ(dozer::find(first, last, -1), last);
  EXPECT_EQ(dozer::min_element(first, last), first);
  EXPECT_EQ(*dozer::minmax_element(first, last).second, most - 1);
  EXPECT_FALSE(dozer::is_sorted(first, last));
}

TEST_F(Near, AreWrittenLikeOthers) {
  const std::vector<int> before = v;
  dozer::reverse(first, last);
  EXPECT_TRUE(std::equal(v.begin(), v.end(), before.rbegin()));
  dozer::transform(first, last, first, [](int n) { return n + 1; });
  EXPECT_EQ(v.back(), before.front() + 1);
  dozer::fill(first, last, 1);
  EXPECT_EQ(dozer::inclusive_scan(first, last, first), last);
  EXPECT_EQ(v.back(), most);
  const auto one = [](int) { return 1; };
  EXPECT_EQ(dozer::transform_inclusive_scan(first, last, first, std::plus<>(), one), last);
  EXPECT_EQ(v.back(), most);
  EXPECT_EQ(dozer::transform_exclusive_scan(first, last, first, 0, std::plus<>(), one), last);
  EXPECT_EQ(v.back(), most - 1);
}

TEST_F(Near, AreMovedLikeOthers) {
  const auto is_even = [](int n) { return n % 2 == 0; };
  const auto middle = dozer::partition(first, last, is_even);
  EXPECT_EQ(middle - first, most / 2 + 1);
  EXPECT_TRUE(std::is_partitioned(v.begin(), v.end(), is_even));
  const std::vector<int> again = shuffled_numbers();
  std::copy(again.begin(), again.end(), v.begin());
  EXPECT_EQ(dozer::stable_partition(first, last, is_even) - first, most / 2 + 1);
  EXPECT_EQ(dozer::unique(first, last), last);
  EXPECT_EQ(dozer::remove_if(first, last, is_even) - first, most / 2);
}

TEST_F(Near, AreSortedLikeOthers) {
  const auto less = [](int a, int b) { return a < b; };
  const std::vector<int> before = v;
  dozer::nth_element(first, first + 100, last, less);
  EXPECT_EQ(v[100], 100);
  dozer::sort(first, last, less);
  EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
  std::copy(before.begin(), before.end(), v.begin());
  dozer::stable_sort(first, last, less);
  EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
  for (const int front : {100, most / 2, most - 1}) {
    std::vector<int> some = before;
    dozer::partial_sort(near_by(some.data()), near_by(some.data() + front), near_by(some.data() + most), less);
    EXPECT_TRUE(std::equal(some.begin(), some.begin() + front, v.begin())) << "the first " << front;
    std::sort(some.begin() + front, some.end());
    EXPECT_EQ(some, v);
  }
  std::vector<int> merged(most);
  const near_by half = first + most / 2;
  EXPECT_EQ(dozer::merge(first, half, half, last, near_by(merged.data())), near_by(merged.data() + most));
  EXPECT_EQ(merged, v);
}

TEST(Elements, OfANamespaceWithTheNamesThatDozerUsesInsideAreHandledLikeOthers) {
  std::vector<crowded::item> v{{3}, {1}, {2}};
  const auto less = [](const crowded::item& a, const crowded::item& b) { return a.key < b.key; };
  dozer::sort(v, less);
  EXPECT_EQ(v, (std::vector<crowded::item>{{1}, {2}, {3}}));
  dozer::stable_sort(v, [](const crowded::item& a, const crowded::item& b) { return a.key > b.key; });
  EXPECT_EQ(v, (std::vector<crowded::item>{{3}, {2}, {1}}));
  dozer::parallel_for(v, [](crowded::item& each) { ++each.key; });
  EXPECT_EQ(dozer::find(v, crowded::item{3}), v.begin() + 1);
  EXPECT_EQ(dozer::min_element(v), v.begin() + 2);
}

}  // namespace
