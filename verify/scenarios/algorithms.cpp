// Algorithms, where threads meet in more than a loop: chunks in order, folds that merge, the first hit.
#include "scenarios.hpp"
#include "support.hpp"

#include <dozer/algorithm/copy_if.hpp>
#include <dozer/algorithm/reduce.hpp>
#include <dozer/algorithm/scan.hpp>

#include <array>

namespace verify {

namespace {

/// Runs it in a worker, beside another one that may steal.
template <class F>
void beside_a_thief(F call) {
  pool_core& pool = make_pool(2);
  const once& caller = put_to_work(pool, call);
  wake_workers(pool, 1);
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(caller.ran(), "lost latch", "an algorithm has not returned");
  expect_idle(pool);
}

const auto plus = [](int a, int b) { return a + b; };

}  // namespace

/// A chunk may be ready before its turn, and be taken over by the thread that passes the turn to it.
void scan_in_chunks() {
  beside_a_thief([] {
    const std::array<int, 4> in{1, 2, 3, 4};
    std::array<int, 4> out{};
    dozer::inclusive_scan(in, out.begin(), plus, {.grain = 1});
    expect(out == std::array<int, 4>{1, 3, 6, 10}, "order", "a scan has added wrong elements");
  });
}

/// A chunk that throws never passes the turn on. Those that wait for it are freed.
void scan_that_throws() {
  beside_a_thief([] {
    const std::array<int, 3> in{1, 2, 3};
    std::array<int, 3> out{};
    bool thrown = false;
    try {
      dozer::inclusive_scan(in, out.begin(),
                            [](int a, int b) {
                              if (b == 2) {
                                throw b;
                              }
                              return a + b;
                            },
                            {.grain = 1});
    } catch (const int) {
      thrown = true;
    }
    expect(thrown, "lost exception", "the exception of an operation does not leave the scan");
  });
}

/// What is copied stands in the order of the range.
void copy_in_order() {
  beside_a_thief([] {
    const std::array<int, 4> in{1, 2, 3, 4};
    std::array<int, 4> out{};
    const auto end = dozer::copy_if(in, out.begin(), [](int n) { return n != 2; }, {.grain = 1});
    expect(end - out.begin() == 3 && out == std::array<int, 4>{1, 3, 4, 0}, "order", "a copy is not in order");
  });
}

/// The operation is associative, not commutative: the last digits, one after the other.
void reduce_in_order() {
  struct digits {
    int value, power;
  };
  beside_a_thief([] {
    const std::array<digits, 4> in{{{1, 10}, {2, 10}, {3, 10}, {4, 10}}};
    const auto join_digits = [](digits a, digits b) { return digits{a.value * b.power + b.value, a.power * b.power}; };
    const digits all = dozer::reduce(in, digits{0, 1}, join_digits, {.grain = 1});
    expect(all.value == 1234, "order", "a reduction is not in order");
  });
}

}  // namespace verify
