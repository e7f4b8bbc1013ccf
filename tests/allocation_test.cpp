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

}  // namespace
