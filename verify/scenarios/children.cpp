// The child of fork(): pools of before are left behind and say so, and new ones work.
#include "scenarios.hpp"
#include "waiting.hpp"

#include <dozer/parallel_for.hpp>

#include <stdexcept>

namespace verify {

namespace {

/// It throws, and runs nothing.
bool says_that_it_is_left_behind(dozer::thread_pool& old) {
  bool ran = false;
  try {
    old.install([&ran] { ran = true; });
  } catch (const std::runtime_error&) {
    return !ran;
  }
  return false;
}

/// A pool of the child does what pools do, to its end.
void expect_new_pool_works() {
  pool_core& fresh = make_pool(1, "child");
  once injected;
  begin(fresh);
  fresh.inject(injected);
  on().until_quiet();
  on().know_everything();
  expect(injected.ran(), "lost wake-up", "a pool of the child does not run its job");
  expect_idle(fresh);
  fresh.end();
}

}  // namespace

/// The parent has a worker that waits and one that sleeps, and an outsider with a token. In the child the token goes:
/// it is the parent's standstill. The handle of the old pool goes as well.
void child_of_a_pool_at_rest() {
  count_people();
  dozer::thread_pool& handle = make_handle(usual_options(2));
  pool_core& old = core_of(handle);
  dozer::external_token token;
  put_into(old, waits_already(*new user_wait));
  domain& parents = current_domain();
  fork_here();
  expect(&current_domain() != &parents, "fork", "the child counts in its parent's domain");
  expect(says_that_it_is_left_behind(handle), "fork", "a pool that was left behind is taken for one that works");
  token.drop();
  expect(parents.people().stuck(), "set-up", "the parent's census does not say stuck");
  old.end();
  expect_new_pool_works();
  expect_reports(0);
  for (thread_id parents_worker = 1; parents_worker <= 2; ++parents_worker) {
    expect(on().operations(parents_worker) == 0, "fork", "a thread of the parent was called in the child");
  }
}

/// A guest forks, and the child leaves the pool, in which a worker blocks without a spare and a job is queued: it calls
/// no spare there.
void child_of_a_guest() {
  count_people();
  hooks.refused_threads.store("pool/spares.cpp", relaxed);  // in the parent
  pool_core& old = make_pool(1, "worker", 1);
  gate world;
  once& queued = job_that([] {});
  put_into(old, job_that([&] { dozer::blocking([&] { world.wait(); }); }));
  {
    guest_stay here(old);
    old.inject(queued);
    hooks.refused_threads.store(nullptr, relaxed);
    fork_here();
  }
  expect_new_pool_works();
  expect(!queued.ran(), "fork", "the child runs a job of its parent");
}

/// A thread that has no seat in the global pool yet forks in a loop, beside a worker that waits. In the child it goes
/// on by itself, and leaves its parent's counts alone. The token is for the set-up: from then on the loop is what runs.
void child_of_a_late_loop() {
  count_people();
  dozer::external_token token;
  pool_core& old = start_global_pool(1);
  put_into(old, waits_already(*new user_wait));
  domain& parents = current_domain();
  const std::uint32_t seated = old.seats.seated();
  std::uint32_t able = 0;
  constexpr int many = loop_many;  // so many begin alone
  int ran = 0;
  dozer::parallel_for(0, many, [&](int i) {
    ++ran;
    if (i == 0) {
      token.drop();
      able = parents.people().able();
      fork_here();
    }
    expect(current_seat() == nullptr || i == 0, "fork", "the thread that has forked sits in a pool of its parent");
  });
  expect(ran == many, "job twice", "a loop goes on in the child, and its iterations do not run once each");
  expect(parents.people().able() == able && old.seats.seated() == seated + 1, "fork",
         "the child has changed the counts of its parent");
  expect_new_pool_works();
  expect_reports(0);
}

/// A job forks, and the child comes back to the loop of the worker, or into the join that it was in: it aborts.
template <bool Joins>
void job_forks() {
  count_people();
  expect_aborts();
  pool_core& old = make_pool(1);
  bool in_no_pool = false;
  const auto fork_and_look = [&] {
    fork_here();
    in_no_pool = current_seat() == nullptr;
  };
  put_into(old, job_that([&] {
             if (Joins) {
               dozer::join(fork_and_look, [] {});
             } else {
               fork_and_look();
             }
           }));
  expect(in_no_pool, "fork", "the thread that has forked sits in a pool of its parent");
  expect(aborts() == 1, "fork", "the child has gone back into a pool that was left behind");
  expect_new_pool_works();
}
void child_comes_back_to_its_worker() { job_forks<false>(); }
void child_comes_back_to_a_join() { job_forks<true>(); }

/// A join waits for its second half, which was stolen, and runs a job meanwhile. The half ends, and then the job forks.
/// In the child all is over that the join has waited for; it does not return all the same.
void child_comes_back_to_a_wait_that_is_over() {
  count_people();
  expect_aborts();
  pool_core& old = make_pool(2);
  gate stolen, half_ends, forks;
  bool joined = false;
  put_into(old, job_that([&] {
             dozer::join([&] { stolen.wait(); },
                         [&] {
                           stolen.open();
                           half_ends.wait();
                         });
             joined = true;
           }));
  put_into(old, job_that([&] {
             forks.wait();
             fork_here();
           }));
  half_ends.open();
  on().settle();
  forks.open();
  on().settle();
  expect(!joined, "fork", "a join of the parent returns in the child");
  expect(aborts() == 1, "fork", "the child has gone back into a pool that was left behind");
  expect_new_pool_works();
}

/// The job of a spare forks. The wait is over by then whose place the spare has taken: in the child it has nothing left
/// to do but to leave.
void child_comes_back_to_a_spare() {
  count_people();
  expect_aborts();
  pool_core& old = make_pool(1, "worker", 1);
  gate world, forks;
  put_into(old, job_that([&] { dozer::blocking([&] { world.wait(); }); }));
  put_into(old, job_that([&] {
             forks.wait();
             fork_here();
           }));
  world.open();
  on().settle();
  forks.open();
  on().settle();
  expect(aborts() == 1, "fork", "the child has gone back into a pool that was left behind");
  expect_new_pool_works();
}

/// A pool of one that is a limit: a job forks inside a declared wait, while a spare has the place. The child comes out
/// of the wait, and then back to the worker.
void child_comes_back_out_of_a_wait() {
  count_people();
  expect_aborts();
  dozer::pool_options options = usual_options(1, "worker", 1);
  options.extra_guests = 0;
  pool_core& old = make_pool(options);
  gate forks, never;
  bool came_out = false;
  put_into(old, job_that([&] {
             dozer::blocking([&] {
               forks.wait();
               fork_here();
             });
             came_out = true;
           }));
  put_into(old, job_that([&] { never.wait(); }));
  forks.open();
  on().settle();
  expect(came_out, "fork", "the child waits for a place in a pool that was left behind");
  expect(aborts() == 1, "fork", "the child has gone back into a pool that was left behind");
  expect_new_pool_works();
}

/// The body of a scope in an isolation forks, and a job of the scope is left: the child does not run it.
void child_comes_back_to_an_isolation() {
  count_people();
  expect_aborts();
  pool_core& old = make_pool(1);
  bool spawned_ran = false;
  put_into(old, job_that([&] {
             dozer::isolate([&] {
               dozer::scope([&](dozer::spawner& s) {
                 s.spawn([&](dozer::spawner&) { spawned_ran = true; });
                 fork_here();
               });
             });
           }));
  expect(!spawned_ran, "fork", "the child runs a job of its parent");
  expect(aborts() == 1, "fork", "the child has gone back into a pool that was left behind");
  expect_new_pool_works();
}

}  // namespace verify
