// Loops: whose pieces are stolen, from outside, inside each other, with iterations that throw or request a stop.
#include "scenarios.hpp"
#include "support.hpp"

#include <dozer/detail/blocks.hpp>

#include <stop_token>

namespace verify {

namespace {

/// How often each iteration ran. Plain memory: an iteration that runs twice at once is a race.
template <int Count>
struct iterations {
  int ran[Count] = {};

  void expect_once_each() const {
    for (const int times : ran) {
      expect(times == 1, "job twice", "an iteration ran not once");
    }
  }
};

/// The rest may be stolen at any point, and what the thief has taken as well.
template <int Count>
void loop_with_thieves(const dozer::loop_options& options = {}) {
  pool_core& pool = make_pool(2);
  iterations<Count> of;
  const once& caller = put_to_work(pool, [&] {
    dozer::parallel_for(
        0, Count, [&of](int i) { ++of.ran[i]; }, options);
    of.expect_once_each();
  });
  wake_workers(pool, 1);
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(caller.ran(), "lost latch", "a loop has not returned");
  expect_idle(pool);
}

}  // namespace

void loop_with_a_thief() { loop_with_thieves<3>(); }
void loop_of_four() { loop_with_thieves<4>(); }
/// Its last three iterations are one block, and what is left of it may be shared after each of them.
void loop_of_six() { loop_with_thieves<6>(); }
/// Its first iteration runs before the rest is forked.
void loop_that_begins_alone() { loop_with_thieves<7>(); }
void loop_in_blocks_of_two() { loop_with_thieves<4>({.grain = 2}); }

/// Its first iteration forks before the loop has a place for its rest. If that job is stolen, the head moves.
void loop_that_forks_while_alone() {
  pool_core& pool = make_pool(2);
  iterations<7> of;
  const once& caller = put_to_work(pool, [&of] {
    dozer::parallel_for(0, 7, [&of](int i) {
      if (i == 0) {
        dozer::join([] {}, [] {});
      }
      ++of.ran[i];
    });
    of.expect_once_each();
  });
  wake_workers(pool, 1);
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(caller.ran(), "lost latch", "a loop has not returned");
  expect_idle(pool);
}

/// A thread of no pool runs its loop as a guest, while the worker whose seat it does not get goes to sleep.
void loop_from_outside() {
  dozer::thread_pool& handle = make_handle({.threads = 2, .name = "worker", .max_spares = 0});
  pool_core& pool = core_of(handle);
  wake_workers(pool, 1);
  iterations<2> of;
  bool through = false;
  const auto run = [&] {
    handle.install([&of] { dozer::parallel_for(0, 2, [&of](int i) { ++of.ran[i]; }); });
    of.expect_once_each();
    through = true;
  };
  new outsider("caller", run);
  on().settle();
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(through, "lost latch", "a loop has not returned");
  expect_idle(pool);
}

/// A loop in each iteration of a loop.
void loop_in_a_loop() {
  pool_core& pool = make_pool(2);
  iterations<4> of;
  const once& caller = put_to_work(pool, [&of] {
    dozer::parallel_for(0, 2, [&of](int i) { dozer::parallel_for(0, 2, [&of, i](int k) { ++of.ran[2 * i + k]; }); });
    of.expect_once_each();
  });
  wake_workers(pool, 1);
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(caller.ran(), "lost latch", "a loop has not returned");
  expect_idle(pool);
}

/// A loop of which one iteration throws, or all do (-1). What was begun has ended when the exception leaves, and
/// nothing of the loop runs afterwards.
template <int Count, int Thrower>
struct throwing_loop {
  iterations<Count> of;
  bool over = false;

  void run() {
    dozer::parallel_for(0, Count, [this](int i) {
      expect(!over, "lost latch", "an iteration runs though its loop is over");
      ++of.ran[i];
      if (i == Thrower || Thrower < 0) {
        throw i;
      }
    });
  }
  /// Call runs it.
  template <class Call>
  void expect_exception(Call call) {
    int thrown = -1;
    try {
      call();
    } catch (const int which) {
      thrown = which;
    }
    over = true;
    expect(Thrower < 0 ? thrown >= 0 : thrown == Thrower, "lost exception",
           "the exception of an iteration does not leave its loop");
    for (const int times : of.ran) {
      expect(times <= 1, "job twice", "an iteration ran twice");
    }
  }
};

template <int Count, int Thrower>
void loop_that_throws() {
  pool_core& pool = make_pool(2);
  auto* const loop = new throwing_loop<Count, Thrower>;
  const once& caller = put_to_work(pool, [loop] { loop->expect_exception([loop] { loop->run(); }); });
  wake_workers(pool, 1);
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(caller.ran(), "lost latch", "a loop has not returned");
  expect_idle(pool);
}
void loop_whose_first_throws() { loop_that_throws<4, 0>(); }
void loop_whose_last_throws() { loop_that_throws<4, 3>(); }
void loop_whose_iterations_all_throw() { loop_that_throws<4, -1>(); }
/// All of them are forked one by one.
void loop_of_three_whose_last_throws() { loop_that_throws<3, 2>(); }
void loop_of_three_that_all_throw() { loop_that_throws<3, -1>(); }

/// A thread of no pool runs it as a guest, and the exception leaves the pool with it.
template <int Thrower>
void loop_from_outside_that_throws() {
  dozer::thread_pool& handle = make_handle({.threads = 2, .name = "worker", .max_spares = 0});
  pool_core& pool = core_of(handle);
  wake_workers(pool, 1);
  auto* const loop = new throwing_loop<4, Thrower>;
  bool through = false;
  outside_after_go("caller", [&handle, &through, loop] {
    loop->expect_exception([&] { handle.install([loop] { loop->run(); }); });
    through = true;
  });
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(through, "lost latch", "a loop has not returned");
  expect_idle(pool);
}
void loop_from_outside_whose_first_throws() { loop_from_outside_that_throws<0>(); }
/// Forked by itself, unlike the last one.
void loop_from_outside_whose_third_throws() { loop_from_outside_that_throws<2>(); }
void loop_from_outside_whose_last_throws() { loop_from_outside_that_throws<3>(); }

/// An iteration requests a stop. Each one is a block, so a thread that has seen the stop begins no other. If the rest
/// is stolen, the thief halves it.
template <int Stopper>
void loop_that_is_stopped() {
  constexpr int count = 5;
  pool_core& pool = make_pool(2);
  struct shared {
    iterations<count> of;
    std::stop_source stop;
    dozer::loop_options options{.grain = 1, .stop = stop.get_token()};
    bool has_seen_it[2] = {};  // a thread writes its own
    bool over = false;
  };
  auto* const s = new shared;
  expect(!s->options.stop.stop_requested(), "scenario", "a stop before the loop");  // from here on the machine knows it
  const once& caller = put_to_work(pool, [s] {
    const auto body = [s](int i) {
      bool& has_seen_it = s->has_seen_it[*dozer::current_thread_index()];
      expect(!s->over, "lost latch", "an iteration runs though its loop is over");
      expect(!has_seen_it, "late iteration", "a thread begins an iteration though it has seen the stop");
      ++s->of.ran[i];
      if (i == Stopper) {
        s->stop.request_stop();
      }
      has_seen_it = s->options.stop.stop_requested();
    };
    dozer::parallel_for(0, count, body, s->options);
    s->over = true;
    expect(s->of.ran[Stopper] == 1, "lost job", "an iteration did not run before there was a stop");
    for (const int times : s->of.ran) {
      expect(times <= 1, "job twice", "an iteration ran twice");
    }
  });
  wake_workers(pool, 1);
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(caller.ran(), "lost latch", "a loop has not returned");
  expect_idle(pool);
}
void loop_whose_first_stops_it() { loop_that_is_stopped<0>(); }
void loop_whose_second_stops_it() { loop_that_is_stopped<1>(); }
void loop_whose_last_stops_it() { loop_that_is_stopped<4>(); }

/// The stop was requested before: nothing is begun, whether blocks have a size or it is learnt.
void loop_that_was_stopped() {
  pool_core& pool = make_pool(2);
  iterations<3> of;
  std::stop_source stop;
  stop.request_stop();
  const dozer::loop_options fixed{.grain = 1, .stop = stop.get_token()}, learning{.stop = stop.get_token()};
  const once& caller = put_to_work(pool, [&] {
    const auto body = [&of](int i) { ++of.ran[i]; };
    dozer::parallel_for(0, 3, body, fixed);
    dozer::parallel_for(0, 3, body, learning);
  });
  wake_workers(pool, 1);
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(caller.ran(), "lost latch", "a loop has not returned");
  for (const int times : of.ran) {
    expect(times == 0, "late iteration", "an iteration begins though the loop was stopped before");
  }
  expect_idle(pool);
}

/// Its first iteration takes no time, so the second block has two. The first of these is long: after it the thread
/// would share the other one, but whoever is hungry finds the rest.
void loop_whose_block_becomes_long() {
  pool_core& pool = make_pool(2);
  iterations<4> of;
  std::stop_source never;
  const dozer::loop_options options{.stop = never.get_token()};  // no iteration is forked by itself
  expect(!options.stop.stop_requested(), "scenario", "a stop before the loop");
  const once& caller = put_to_work(pool, [&] {
    on().stop_clock_for(2);  // when the first block begins, and when it ends
    dozer::parallel_for(
        0, 4, [&of](int i) { ++of.ran[i]; }, options);
    of.expect_once_each();
  });
  wake_workers(pool, 1);
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(caller.ran(), "lost latch", "a loop has not returned");
  expect_idle(pool);
}

/// While an iteration lasts, all that has not begun is run by others.
template <int Count, int Long>
void loop_with_a_long_iteration(const dozer::loop_options& options = {}) {
  pool_core& pool = make_pool(2);
  iterations<Count> of;
  const once& caller = put_to_work(pool, [&of, &options] {
    const auto body = [&of](int i) {
      ++of.ran[i];
      if (i == Long) {
        long_leaf();
      }
    };
    dozer::parallel_for(0, Count, body, options);
  });
  wake_workers(pool, 1);
  begin(pool);
  rest_then([&] {
    expect_work_conserved(pool);
    of.expect_once_each();
  });
  expect(caller.ran(), "lost latch", "a loop has not returned");
  expect_idle(pool);
}
/// All iterations are long, and there is a worker for each: what a thief has halved is for the third.
void loop_of_long_iterations() {
  pool_core& pool = make_pool(3);
  iterations<3> of;
  const once& caller = put_to_work(pool, [&of] {
    dozer::parallel_for(0, 3, [&of](int i) {
      ++of.ran[i];
      long_leaf();
    });
  });
  begin(pool);
  rest_then([&] {
    expect_work_conserved(pool);
    of.expect_once_each();
  });
  expect(caller.ran(), "lost latch", "a loop has not returned");
  expect_idle(pool);
}
void loop_whose_first_is_long() { loop_with_a_long_iteration<3, 0>(); }
void loop_whose_second_is_long() { loop_with_a_long_iteration<3, 1>(); }
/// Not all of them are forked one by one.
void loop_of_four_whose_first_is_long() { loop_with_a_long_iteration<4, 0>(); }
/// No iteration is forked by itself: the rest is.
void loop_with_a_grain_whose_first_is_long() { loop_with_a_long_iteration<3, 0>({.grain = 1}); }
/// The rest is halved by its thief. The first iteration of its lower half is long, or the one of its upper half.
void loop_whose_lower_half_is_long() { loop_with_a_long_iteration<5, 1>({.grain = 1}); }
void loop_whose_upper_half_is_long() { loop_with_a_long_iteration<5, 4>({.grain = 1}); }

/// Two hits: the first one counts, whoever finds the other one sooner.
void loop_finds_the_first() {
  pool_core& pool = make_pool(2);
  std::uint64_t found = 0;
  const once& caller = put_to_work(pool, [&found] {
    const auto odd = [](std::uint64_t first, std::uint64_t last) {
      while (first != last && first % 2 == 0) {
        ++first;
      }
      return first;
    };
    found = first_hit(4, odd, {});
  });
  wake_workers(pool, 1);
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(caller.ran(), "lost latch", "a loop has not returned");
  expect(found == 1, "order", "not the first hit is found");
  expect_idle(pool);
}

/// What the parts have gathered is there, in order, when the loop is over. If there are five iterations, a thief halves
/// what it has stolen, and two parts may be through at the same time.
template <int Count>
void loop_that_gathers() {
  pool_core& pool = make_pool(2);
  std::uint64_t digits = 0;
  const once& caller = put_to_work(pool, [&digits] {
    struct number {
      std::uint64_t value, power;
    };
    gathered<number> into;
    const auto begin_with = [](std::uint64_t first, std::uint64_t) { return number{first, 10}; };
    const auto add = [](number& so_far, std::uint64_t first, std::uint64_t) {
      so_far = {10 * so_far.value + first, 10 * so_far.power};
    };
    gather(Count, begin_with, add, into, {.grain = 1});
    into.take_in_order([&](number what) { digits = digits * what.power + what.value; });
  });
  wake_workers(pool, 1);
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(caller.ran(), "lost latch", "a loop has not returned");
  expect(digits == (Count == 3 ? 12 : 1234), "order", "what the parts of a loop gathered is lost, or not in order");
  expect_idle(pool);
}
void loop_gathers() { loop_that_gathers<3>(); }
void loop_gathers_halves() { loop_that_gathers<5>(); }

}  // namespace verify
