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
  const auto run_one = [&] {
    std::atomic<bool> ran{false};
    pool.spawn([&] { ran = true; });
    ASSERT_TRUE(dozer_test::eventually([&] { return ran.load(); }));
    ASSERT_TRUE(dozer_test::all_asleep(pool));
  };
  run_one();
  const std::size_t before = allocations();
  run_one();
  // all_asleep allocates, too: it asks for statistics.
  const std::size_t with_spawn = allocations() - before;
  const std::size_t between = allocations();
  ASSERT_TRUE(dozer_test::all_asleep(pool));
  const std::size_t of_one_look = allocations() - between;
  EXPECT_EQ(with_spawn % of_one_look, 0u) << with_spawn << " allocations, " << of_one_look << " in each look";
}

}  // namespace
