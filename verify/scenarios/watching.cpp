// The watchdog of a pool, and the list of threads of no pool that wait.
#include "scenarios.hpp"
#include "waiting.hpp"

#include <dozer/sync.hpp>

#include <cstring>
#include <system_error>

namespace verify {

namespace {

/// Something that a pool's options own: it is gone when the pool's memory is.
class owned {
 public:
  explicit owned(std::uint32_t& copies) : copies_(&copies) { ++*copies_; }
  owned(const owned& other) : copies_(other.copies_) { ++*copies_; }
  owned& operator=(const owned&) = delete;
  ~owned() { --*copies_; }

 private:
  std::uint32_t* copies_;
};

/// Started after go(): in the set-up time passes whenever nothing else happens, and a watchdog would never rest.
dozer::pool_options watched(unsigned workers) {
  count_people();
  threads_of_the_program();
  dozer::pool_options options = usual_options(workers);
  options.stall_after = std::chrono::nanoseconds(1);
  options.on_stall = [](const dozer::deadlock_report&) {};
  return options;
}

}  // namespace

/// The pool ends while its watchdog looks, or sleeps.
void watchdog_and_end() {
  const dozer::pool_options options = watched(1);
  on().go();
  pool_core& pool = start_pool(options);
  bool ran = false;
  spawn_in(pool, false, [&] { ran = true; });
  pool.end();
  expect(ran, "lost wake-up", "the pool ended before its jobs");
  expect_all_ended();
}

/// The pool is ended by its own worker: nobody waits for the watchdog, which may be the last to leave.
void watchdog_and_end_from_inside() {
  const dozer::pool_options options = watched(1);
  on().go();
  pool_core& pool = start_pool(options);
  bool ended = false;
  spawn_in(pool, false, [&] {
    pool.end();
    ended = true;
  });
  on().until_quiet();
  on().know_everything();
  expect(ended, "deadlock", "the end of a pool by its own worker hangs");
  expect_all_ended();
}

/// A job waits in a way that nobody has declared, until the watchdog says so; meanwhile the pool's end is awaited.
void watchdog_reports_while_the_pool_ends() {
  struct shared {
    gate told;
    tally stalls;
  };
  static shared* s;
  dozer::pool_options options = watched(1);
  s = new shared;
  options.on_stall = [](const dozer::deadlock_report& report) {
    expect(report.what_is_wrong == dozer::deadlock_report::trouble::stalled, "said aloud", "a stall has another name");
    s->stalls.add();
    s->told.open();
  };
  on().go();
  pool_core& pool = start_pool(options);
  if (!now_set.never) {  // else no time passes, and nothing is said
    spawn_in(pool, false, [] { s->told.wait(); });
  }
  pool.end();
  expect(now_set.never || s->stalls.now() != 0, "missed stall", "a job has waited, and nobody has said so");
  expect_all_ended();
}

namespace {

enum class refused { the_last_worker, the_watchdog, every_worker };

}  // namespace

/// The system refuses a thread for the last worker, for the watchdog, or for every worker but not for the watchdog: the
/// pool has none, or does with what it got.
template <bool FewerWillDo, refused Who>
void start_refused() {
  dozer::pool_options options = watched(Who == refused::the_last_worker ? 2 : 1);
  options.allow_fewer_threads = FewerWillDo;
  auto* const copies = new std::uint32_t(0);
  options.on_stall = [of_the_options = owned(*copies)](const dozer::deadlock_report&) {};
  const std::uint32_t without_a_pool = *copies;
  if (Who == refused::every_worker) {
    hooks.refused_threads.store("pool/pool_core.cpp", relaxed);
  } else {
    hooks.most_threads.store(2, relaxed);  // the main thread, and a worker
  }
  on().go();
  bool ran = false;
  try {
    pool_core& pool = start_pool(options);
    expect(pool.seats.workers() == 1, "start", "a pool has more workers than threads");
    spawn_in(pool, false, [&] { ran = true; });
    pool.end();
  } catch (const std::system_error&) {
    expect(!FewerWillDo, "start", "a pool that could do with fewer threads gives up");
  }
  expect(ran == FewerWillDo, "start", "the pool ended before its jobs, or began without its threads");
  expect_all_ended();
  expect(*copies == without_a_pool, "leak", "the memory of a pool is never given back");
}
void start_with_fewer_threads() { start_refused<true, refused::the_last_worker>(); }
void start_given_up() { start_refused<false, refused::the_last_worker>(); }
void start_given_up_for_the_watchdog() { start_refused<false, refused::the_watchdog>(); }
void start_without_the_watchdog() { start_refused<true, refused::the_watchdog>(); }
void start_without_workers() { start_refused<false, refused::every_worker>(); }

/// A thread looks at all pools while one starts. If the system refuses it a thread, it is never seen.
template <bool Refused>
void start_against_a_look() {
  count_people();
  threads_of_the_program();
  domain& all = current_domain();
  tally seen;
  outside_after_go("looker", [&] {
    all.pools.for_each([&](pool_core& each) {
      expect(each.seats.workers() == 1, "start", "a pool is looked at before it knows its workers");
      seen.add();
    });
  });
  if (Refused) {
    hooks.most_threads.store(3, relaxed);  // the main thread, the looker, and a worker
  }
  on().go();
  try {
    start_pool(usual_options(Refused ? 2 : 1)).end();
  } catch (const std::system_error&) {
    expect(Refused, "start", "a pool gives up that has its threads");
  }
  expect_all_ended();
  expect(!Refused || seen.now() == 0, "start", "a pool is looked at that never began");
}
void start_and_a_look() { start_against_a_look<false>(); }
void start_given_up_and_a_look() { start_against_a_look<true>(); }

/// Two threads of no pool show that they wait, one after another and twice each, while a third one looks: each sees
/// itself as long as it waits.
void two_wait_outside() {
  count_people();
  struct shared {
    domain& of = current_domain();
    int what[2] = {};
    void wait(int which) {
      const outside_wait shown({.what = &what[which], .why = dozer::wait_reason::event});
      bool found = false;
      of.outsiders.for_each([&](std::uint64_t thread, const doing_now& wait) {
        found |= thread == thread_number() && wait.what == &what[which];
      });
      expect(found, "place taken", "two threads that wait are shown at one place");
    }
  }* const s = new shared;
  threads_of_the_program();
  for (const int which : {0, 1}) {
    new outsider(which == 0 ? "first" : "second", [=] {
      s->wait(which);
      s->wait(which);
    });
  }
  on().settle();
  on().go();
  s->of.outsiders.for_each([&](std::uint64_t thread, const doing_now& wait) {
    expect(thread == 2 || thread == 3, "place taken", "a place is shown before anybody has taken it");
    expect(wait.why == dozer::wait_reason::event, "place taken", "a place is shown before its wait stands there");
  });
  on().until_quiet();
  on().know_everything();
  std::uint32_t left = 0;
  s->of.outsiders.for_each([&](std::uint64_t, const doing_now&) { ++left; });
  expect(left == 0, "place taken", "a wait is over and still shown");
}

/// A thread of no pool waits for an event: reports show who can end that.
void wait_outside_is_shown() {
  count_people();
  auto& happened = *new dozer::event;
  const domain& of = current_domain();
  threads_of_the_program();
  outside_after_go("waiter", [&] { happened.wait(); });
  on().go();
  on().until_quiet(1);
  on().know_everything();
  std::uint32_t shown = 0;
  of.outsiders.for_each([&](std::uint64_t, const doing_now& wait) {
    ++shown;
    expect(wait.what == &happened && wait.since != 0 && !wait.timed, "wrong report", "another wait is shown");
    expect(wait.who_can_end_it == dozer::wait_kind::external, "wrong report", "anybody may set it, and it is not said");
  });
  expect(shown == 1, "wrong report", "a thread waits, and it is not shown");
  happened.set();
  on().until_quiet(2);
}

/// The same for a job that takes long.
void wait_outside_for_a_job_is_shown() {
  count_people();
  dozer::thread_pool& pool = make_handle(usual_options(1));
  const domain& of = current_domain();
  outside_after_go("waiter", [&] { pool.submit([] { long_leaf(); }).get(); });
  begin(core_of(pool));
  rest_then([&] {
    std::uint32_t shown = 0;
    of.outsiders.for_each([&](std::uint64_t, const doing_now& wait) {
      ++shown;
      expect(wait.why == dozer::wait_reason::future, "wrong report", "another wait is shown");
    });
    expect(shown == 1, "wrong report", "a thread waits for a job, and it is not shown");
  });
  expect_idle(core_of(pool));
}

namespace {

/// Whether a wait has a place in the list. Its field is private, and the only one.
bool is_shown(const outside_wait& wait) {
  static_assert(sizeof wait == sizeof(void*));
  void* place = nullptr;
  std::memcpy(&place, &wait, sizeof place);
  return place != nullptr;
}

}  // namespace

/// One place, and no memory for another: who takes it comes after the one that has left it. Else that one's note of
/// what it waits for could be the later, and stay.
void one_place_outside() {
  count_people();
  threads_of_the_program();
  auto* const written = new std::uint32_t(0);  // as the fields of the place are
  { const outside_wait makes_it({}); }
  for (const char* name : {"first", "second"}) {
    new outsider(name, [=] {
      on().deny_memory(true);
      const outside_wait shown({});
      if (is_shown(shown)) {
        ++*written;
      }
    });
  }
  on().settle();
  on().go();
  on().until_quiet();
  on().know_everything();
  expect(*written != 0, "place taken", "a place is free, and nobody gets it");
}

/// A thread of no pool has made the name of what it waits for: whoever sees that it waits can read it.
void name_of_an_outside_wait() {
  count_people();
  threads_of_the_program();
  auto* const name = new char[2]();
  auto* const of = &current_domain();
  { const outside_wait makes_the_place({}); }
  new outsider("waiter", [=] {
    name[0] = 'n';
    const outside_wait shown({.name = name, .why = dozer::wait_reason::event});
  });
  on().settle();
  on().go();
  of->outsiders.for_each([](std::uint64_t, const doing_now& wait) {
    expect(wait.name == nullptr || wait.name[0] == 'n', "race", "a wait is shown before its name is made");
  });
  on().until_quiet();
}

}  // namespace verify
