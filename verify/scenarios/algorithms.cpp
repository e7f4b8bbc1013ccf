// Algorithms, where threads meet in more than a loop: chunks in order, folds that merge, the first hit.
#include "scenarios.hpp"
#include "support.hpp"

#include <dozer/algorithm/copy_if.hpp>
#include <dozer/algorithm/reduce.hpp>
#include <dozer/algorithm/scan.hpp>
#include <dozer/detail/blocks.hpp>
#include <dozer/detail/counts.hpp>
#include <dozer/detail/fold.hpp>

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

/// f(0), f(1) and f(2) in threads of their own, to their end.
template <class F>
void in_three_threads(F f) {
  const auto first = [f] { f(0); };
  const auto second = [f] { f(1); };
  const auto third = [f] { f(2); };
  new outsider("first", first);
  new outsider("second", second);
  new outsider("third", third);
  on().settle();
  on().go();
  on().until_quiet();
  on().know_everything();
}

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

/// Three parts of a loop are through at the same time: the first one is kept apart, the others in a list.
void gathered_at_once() {
  auto& into = *new gathered<int>;
  in_three_threads([&into](int which) { into.keep(static_cast<std::uint64_t>(which), which + 1); });
  int digits = 0;
  into.take_in_order([&](int what) { digits = 10 * digits + what; });
  expect(digits == 123, "order", "what a part has gathered is lost, or not in order");
}

/// Three stretches that are neighbours are kept at the same time.
void stretches_meet() {
  using stretch_of_digits = dozer::detail::stretch<int>;
  auto& all = *new stretches<int>;
  const auto merge = [](int a, int b) { return a < 10 && b >= 10 ? 100 * a + b : 10 * a + b; };
  in_three_threads([&all, merge](int which) {
    const auto first = static_cast<std::uint64_t>(which);
    all.keep(std::unique_ptr<stretch_of_digits>(new stretch_of_digits{first, first + 1, which + 1, nullptr}), merge);
  });
  expect(all.take(merge) == 123, "order", "a stretch is lost, or merged in the wrong order");
}

/// Threads that count lend a set of counts, or make one, and give it back.
void count_sets_at_once() {
  auto& sets = *new count_sets(1);
  in_three_threads([&sets](int) {
    const count_set* usual = nullptr;
    const count_sets::loan mine(sets, usual);
    ++mine.data()[0];
  });
  expect(sets.sum()[0] == 3, "order", "a count is lost");
}

}  // namespace verify
