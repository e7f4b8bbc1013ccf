#include "support.hpp"

#include "../../src/deadlock/without_memory.hpp"
#include "../../src/pool/global.hpp"
#include "../../src/pool/late_stay.hpp"

namespace verify {

setting now_set;

namespace {

std::string word_text(std::uint64_t bits) { return to_string(counters(bits)); }
std::string parked_text(std::uint64_t bits) { return to_string(parked(static_cast<std::uint32_t>(bits))); }

std::string split_text(std::uint64_t bits) {
  const split s(bits);
  return s.is_marked() ? "being exposed" : std::to_string(s.index());
}

void word_changed(void*, std::uint64_t, std::uint64_t now, thread_id) { expect_counts(counters(now)); }

}  // namespace

namespace {

domain* counted = nullptr;  // null: nobody is
tally* deadlocks = nullptr;
tally* starvings = nullptr;
dozer::deadlock_action what_to_do = dozer::deadlock_action::proceed;  // fixed in a run

/// The handler of every pool.
dozer::deadlock_action found(const dozer::deadlock_report& report) {
  (report.what_is_wrong == dozer::deadlock_report::trouble::starved ? starvings : deadlocks)->add();
  return what_to_do;
}

}  // namespace

void count_nobody() {
  static_cast<void>(without_memory());  // it is made once, and would be memory of the run that happens to be the first
  // Made outside the run: its atomics are plain values, and what they say is nonsense.
  static domain outside;
  std::destroy_at(&outside);
  set_current_domain(*new (&outside) domain);
  counted = nullptr;
  forget_global_pool();
  hooks.refused_threads.store(nullptr, relaxed);
  hooks.most_threads.store(0, relaxed);
  hooks.stack_left.store(~std::size_t{0}, relaxed);
  hooks.aborted.store(nullptr, relaxed);
}

void count_people(reporter_is who, dozer::deadlock_action answer) {
  counted = new domain;
  deadlocks = new tally;
  starvings = new tally;
  what_to_do = answer;
  set_current_domain(*counted);
  hooks.refused_threads.store(who == reporter_is::the_last_victim ? "deadlock/reporter.cpp" : nullptr, relaxed);
}

std::uint32_t deadlocks_reported() { return deadlocks->now(); }
std::uint32_t starvings_reported() { return starvings->now(); }
census people_now() { return census(on().peek(counted)); }

namespace {

tally* aborts_so_far = nullptr;

}  // namespace

void expect_aborts() {
  aborts_so_far = new tally;
  hooks.aborted.store([] { aborts_so_far->add(); }, relaxed);
}
std::uint32_t aborts() { return aborts_so_far->now(); }

void fork_here() {
  come_out_of_fork();
  counted = &current_domain();
}

void expect(bool holds, const char* property, const char* what) {
  if (!holds) {
    on().fail(property, what);
  }
}

void expect_counts(counters word) {
  expect(word.quiet() <= word.hungry() && word.asleep() <= word.inactive() && word.inactive() <= counters::max_members,
         "count drift", to_string(word).c_str());
}

dozer::pool_options usual_options(unsigned workers, const char* name, unsigned spares) {
  dozer::pool_options options;
  options.threads = workers;
  options.max_spares = spares;
  options.name = name;
  options.on_deadlock = &found;
  return options;
}

pool_core& make_pool(unsigned workers, const char* name, unsigned spares) {
  return make_pool(usual_options(workers, name, spares));
}

void threads_of_the_program() {
  hooks.deny_process_fence.store(!now_set.process_fence, relaxed);
  on().per_thread(reinterpret_cast<void**>(&current_jobs), &nobody.jobs);
  on().per_thread(reinterpret_cast<void**>(&put_off_stay), nullptr);
}

dozer::pool_options as_set(dozer::pool_options wanted) {
  wanted.idle.search_for = std::chrono::nanoseconds(now_set.one_round ? 1 : 0);
  return wanted;
}

namespace {

/// Its workers have come to rest; what it consists of has names in traces, and is watched.
pool_core& made(pool_core& pool) {
  hooks.deque_start.store(0, relaxed);  // what a scenario has asked for is for one pool
  on().settle();
  const std::string of = pool.options().name;
  on().name(&pool.sleep, of + "s' word", &word_text);
  on().watch(&pool.sleep, &word_changed, nullptr);
  on().name(&pool.injected, of + "s' injector");
  for (std::uint32_t i = 0; i < pool.seats.capacity(); ++i) {
    const std::string seat_name = of + (i < pool.seats.workers() ? " " : " extra ") + std::to_string(i);
    on().name(&pool.seats[i].parker, seat_name + "'s parker", &parked_text);
    on().name(&pool.seats[i].stop, seat_name + "'s stop");
    on().name(&pool.seats[i].mail, seat_name + "'s mail");
    // Its fields are private; for the names alone that is enough.
    const auto* const jobs = reinterpret_cast<const std::byte*>(static_cast<const deque*>(&pool.seats[i]));
    on().name(jobs, seat_name + "'s head");
    on().name(jobs + cache_line, seat_name + "'s top");
    on().name(jobs + cache_line + sizeof(atomic<std::uint64_t>), seat_name + "'s split", &split_text);
  }
  return pool;
}

}  // namespace

pool_core& start_pool(const dozer::pool_options& options) { return *pool_core::start(as_set(options)); }

pool_core& make_pool(const dozer::pool_options& options) {
  threads_of_the_program();
  return made(start_pool(options));
}

dozer::thread_pool& make_handle(dozer::pool_options wanted) {
  threads_of_the_program();
  auto& handle = *new dozer::thread_pool(as_set(std::move(wanted)));
  made(core_of(handle));
  return handle;
}

pool_core& start_global_pool(unsigned workers) { return start_global_pool(usual_options(workers)); }

pool_core& start_global_pool(dozer::pool_options wanted) {
  threads_of_the_program();
  expect(dozer::configure_global_pool(as_set(std::move(wanted))), "set-up", "there is a global pool already");
  return made(core_of(dozer::global_pool()));
}

void wake_workers(pool_core& pool, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    auto* const holding = new once([](once&, seat&) { on().hold_until_go(); });
    pool.inject(*holding);
    on().settle();
  }
}

void put_into(pool_core& pool, once& j) {
  pool.inject(j);
  on().settle();
}

void start_counter(pool_core& pool) {
  const counters now(on().peek(&pool.sleep));
  const std::uint64_t counts = now.bits() - counters::starting_at(now.jec()).bits();
  on().poke(&pool.sleep, counts | counters::starting_at(now_set.jec).bits());
}

void expect_work_conserved(pool_core& pool) {
  bool somebody_sleeps = false;
  bool work = !pool.injected.empty();
  for (std::uint32_t i = 0; i < pool.seats.bound(); ++i) {
    const parked state = pool.seats[i].parker.load();
    const bool asleep = state.at() == parked::asleep;
    somebody_sleeps |= asleep && i < pool.seats.workers();
    work |= pool.seats[i].others().in_sight() || pool.seats[i].others().has_private();
    expect(!asleep || pool.seats[i].mail.empty(), "lost wake-up", "mail in the box of a sleeper");
  }
  expect(!work || !somebody_sleeps, "lost wake-up", "a job waits and a worker sleeps, and nobody is on the way");
}

void expect_all_ended() {
  on().until_quiet();
  on().know_everything();
  for (thread_id t = 1; t < on().threads_started(); ++t) {
    expect(on().has_finished(t), "deadlock", "a thread goes on though its pool has ended");
  }
  expect(people_now().able() == 0 && people_now().waiting() == 0, "count drift", to_string(people_now()).c_str());
}

void expect_idle(pool_core& pool) {
  expect_work_conserved(pool);
  const counters word(on().peek(&pool.sleep));
  for (std::uint32_t i = 0; i < pool.seats.workers(); ++i) {
    expect(pool.seats[i].parker.load() == parked(parked::asleep, 0), "deadlock", "a worker is stuck");
  }
  expect(word.asleep() == pool.seats.workers() && word.inactive() == word.asleep() && word.quiet() == 0, "count drift",
         to_string(word).c_str());
  expect(pool.seats.seated() == pool.seats.workers() && pool.seats.seated_workers() <= pool.seats.workers(),
         "count drift", "somebody has left a seat and still counts there");
  if (counted != nullptr) {
    const census people = people_now();
    expect(people.able() == 0 && people.waiting() == 0 && people.tokens() == 0, "count drift",
           to_string(people).c_str());
  }
}

}  // namespace verify
