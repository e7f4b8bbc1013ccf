// What allocates, counted by a replaced operator new.
#include "count_allocations.hpp"
#include "support.hpp"

#include <new>

namespace {

using dozer_test::allocations;

TEST(Cost, AnUnstolenJoinAllocatesNothing) {
  dozer::thread_pool pool(1);
  pool.install([] {
    const std::size_t before = allocations();
    EXPECT_EQ(dozer_test::fib(15), 610);
    EXPECT_EQ(allocations(), before);
    ::operator delete(::operator new(1));
    EXPECT_EQ(allocations(), before + 1);  // the count counts
  });
}

TEST(Cost, ALoneJobIntoASleepingPoolTakesTheMemoryOfTheLastOne) {
  dozer::thread_pool pool(1);
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(dozer_test::all_asleep(pool));  // so the last one has left its memory
    const std::size_t before = allocations();
    std::atomic<bool> ran{false};
    pool.spawn([&] { ran = true; });
    ASSERT_TRUE(dozer_test::eventually([&] { return ran.load(); }));
    EXPECT_EQ(allocations() - before, i == 0 ? 1u : 0u);
  }
}

}  // namespace
