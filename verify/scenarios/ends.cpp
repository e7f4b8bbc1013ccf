// The end of a pool against workers that go to sleep, and against what is still on its way into it.
#include "scenarios.hpp"
#include "support.hpp"

namespace verify {

/// The handle goes while the workers fall asleep.
template <unsigned Workers>
void end_against_sleep() {
  pool_core& pool = make_pool(Workers);
  wake_workers(pool, Workers);
  begin(pool);
  pool.end();
  on().until_quiet();
}
void end_of_one() { end_against_sleep<1>(); }
void end_of_two() { end_against_sleep<2>(); }

/// A detached job posts another while the handle goes: both run before the workers stop.
void end_with_jobs_on_the_way() {
  pool_core& pool = make_pool(1);
  wake_workers(pool, 1);
  struct shared {
    pool_core& pool;
    once* second;
    bool ran = false;
  } s{pool, new once([](once& self, seat&) { *static_cast<bool*>(self.context) = true; }, &pool)};
  s.second->context = &s.ran;
  once first(
      [](once& self, seat&) {
        auto& in = *static_cast<shared*>(self.context);
        in.pool.post(*in.second);
      },
      &pool);
  first.context = &s;
  pool.hold();  // the job's, which spawn takes
  const auto post = [&] { pool.inject(first); };
  new outsider("poster", post);
  on().settle();
  begin(pool);
  pool.end();
  on().until_quiet();
  on().know_everything();
  expect(first.ran() && s.ran, "lost wake-up", "the pool ended before its jobs");
}

/// The handle is destroyed by one of the pool's own workers: it does not wait, and the last one frees the pool.
void end_by_its_own_worker() {
  pool_core& pool = make_pool(2);
  pool.hold();
  struct shared {
    pool_core& pool;
    bool ended = false;
  } s{pool};
  once last(
      [](once& self, seat&) {
        auto& in = *static_cast<shared*>(self.context);
        on().hold_until_go();
        in.pool.end();
        in.ended = true;
      },
      &pool);
  last.context = &s;
  pool.inject(last);
  on().settle();
  wake_workers(pool, 1);
  begin(pool);
  on().until_quiet();
  on().know_everything();
  expect(s.ended, "deadlock", "the end of a pool by its own worker hangs");
  expect(on().has_finished(1) && on().has_finished(2), "deadlock", "a worker goes on though its pool has ended");
}

namespace {

/// For the registry, which never looks into a pool.
struct stand_in {
  [[nodiscard]] pool_core& as_pool() noexcept { return *reinterpret_cast<pool_core*>(this); }
  static stand_in& of(pool_core& pool) noexcept { return *reinterpret_cast<stand_in*>(&pool); }
  alignas(pool_core) bool alive = true;
};

}  // namespace

/// A pool is taken out of the registry while another thread looks at it, and its entry goes to the next one.
void registry_against_a_look() {
  struct shared {
    pool_registry all;
    stand_in first, second;
  };
  auto& s = *new shared;
  pool_registry::entry& of_first = s.all.add(s.first.as_pool());
  const auto look = [&s] {
    s.all.for_each([](pool_core& pool) {
      expect(stand_in::of(pool).alive, "use after free", "a pool is looked at that was taken out");
    });
  };
  const auto remove_first = [&s, &of_first] {
    pool_registry::remove(of_first);
    s.first.alive = false;
  };
  new outsider("looker", look);
  new outsider("remover", remove_first);
  on().settle();
  on().go();
  pool_registry::remove(s.all.add(s.second.as_pool()));
  s.second.alive = false;
  on().until_quiet();
  on().know_everything();
  expect(!s.first.alive, "deadlock", "a pool waits for ever to be taken out");
}

}  // namespace verify
