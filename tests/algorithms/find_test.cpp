// find, find_if, find_if_not, any_of, all_of, none_of: the first hit, with little work behind it.
#include "support.hpp"

#include <dozer/algorithm/find.hpp>

#include <algorithm>
#include <deque>
#include <vector>

namespace {

using dozer_test::any_options;
using dozer_test::any_size;
using dozer_test::everywhere;

TEST(Find, TheFirstHitLikeStd) {
  EXPECT_TRUE(rc::check([] {
    const auto size = any_size();
    const auto range = *rc::gen::inRange(1, 3000);
    std::deque<int> numbers(size);
    for (auto& n : numbers) {
      n = *rc::gen::inRange(0, range);
    }
    const auto options = any_options();
    const auto hit = [](int n) { return n == 0; };
    const auto expected = std::find_if(numbers.begin(), numbers.end(), hit);
    std::atomic<int> wrong{0};
    everywhere([&] {
      wrong += dozer::find_if(numbers, hit, options) != expected;
      wrong += dozer::find_if(numbers.begin(), numbers.end(), hit, {}, options) != expected;
    });
    RC_ASSERT(wrong.load() == 0);
  }));
}

}  // namespace
