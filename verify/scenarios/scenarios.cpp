#include "scenarios.hpp"

#include "scenario.hpp"

namespace verify {

const std::vector<scenario>& all_scenarios() {
  static const std::vector<scenario> all = {
      {"inject-1x1", "one worker that goes to sleep, one injector", &one_sleeper_one_injector, unbounded, unbounded},
      {"inject-spurious",
       "the same, with futex waits and weak exchanges that return for no reason",
       &one_sleeper_one_injector,
       2,
       3,
       true,
       {.spurious_wakes = 1, .spurious_failures = 1}},
      {"inject-2x1", "two workers, one injector", &two_workers_one_injector, 1, 2},
      {"inject-1x2", "one worker, two injectors", &one_worker_two_injectors, 1, 2},
      {"fork-leaf", "two workers; one forks and stays in a long leaf", &fork_and_leaf, 2, unbounded},
      {"fork-leaf-3", "three workers; two forks, two long leaves", &two_forks_two_leaves, 1, 2},
      {"detached-leaf", "two workers; one posts a detached job and stays in a long leaf", &detached_and_leaf, 2,
       unbounded},
      {"latch", "a latch is set while its owner falls asleep", &latch_against_sleep, 2, 3},
      {"latch-poster", "the same, with a job injected meanwhile", &latch_with_a_poster, 1, 2},
      {"latch-deadline", "the same, and the time may be up", &latch_with_a_deadline, 1, 2},
      {"latch-blocking", "a thread of no pool waits for a latch", &blocking_latch_against_set, 3, unbounded},
      {"scope", "a scope's counting latch, with thieves", &scope_with_thieves, 1, 2},
      {"broadcast-1", "a broadcast while the worker falls asleep", &broadcast_to_one, 2, 3},
      {"broadcast-2", "a broadcast while two workers fall asleep", &broadcast_to_two, 1, 2},
      {"cross-pool", "a latch across pools, whose owner's pool ends", &cross_pool_latch_and_the_end, 1, 2},
      {"future", "a future waited for from outside while it is set", &future_from_outside, 2, 3},
      {"future-deadline", "the same, and the time may be up", &future_with_a_deadline, 1, 2},
      {"future-two", "a future with two waiters", &future_with_two_waiters, 1, 2},
      {"end-1", "the pool ends while its worker falls asleep", &end_of_one, unbounded, unbounded},
      {"end-2", "the pool ends while its two workers fall asleep", &end_of_two, 1, 2},
      {"end-jobs", "the pool ends with detached jobs on the way", &end_with_jobs_on_the_way, 1, 2},
      {"end-own", "the pool is ended by its own worker", &end_by_its_own_worker, 1, 2},
      {"deque", "owner and thief, two jobs", &deque_two_jobs, unbounded, unbounded, false},
      {"deque-growth", "owner and thief, growth", &deque_growth, 3, unbounded, false},
      {"deque-thieves", "owner and two thieves, growth", &deque_two_thieves, 3, unbounded, false},
      {"deque-wrap", "the owner goes round the buffer", &deque_push_take_push, 3, unbounded, false},
      {"injector", "two producers, one with a batch, and a consumer", &injector_two_and_two, 3, unbounded, false},
      {"guest-inject-1", "a guest comes and goes, one worker, one injector", &guest_and_injector_one, 2, 3},
      {"guest-inject-2", "a guest comes and goes, two workers, one injector", &guest_and_injector_two, 1, 2},
      {"guest-leaves-job", "a guest leaves a job behind, one injector", &guest_leaves_a_job, 1, 2},
      {"guest-forks", "a guest forks and waits", &guest_forks, 2, 3},
      {"guest-stays", "a guest posts and stays in a long leaf", &guest_forks_and_stays, 1, 2},
      {"guest-two", "two guests, one worker, an extra seat", &two_guests, 1, 2},
      {"guest-broadcast", "a broadcast to a seat that is lent", &guest_and_broadcast, 1, 2},
      {"guest-alone", "a guest in the only seat waits for an injected job", &guest_waits_for_injected, 2, unbounded},
      {"guest-searches", "a guest searches while a job is injected for a worker", &guest_searches_and_injector, 1, 2},
      {"guest-end", "the pool ends while a guest is inside", &guest_and_end, 2, 3},
      {"guest-leaves-fork", "a guest leaves while a worker forks and stays in a long leaf", &guest_leaves_and_fork, 2,
       3},
      {"guest-bound", "a guest comes while a worker sleeps inside a job", &guest_and_bound_worker, 2, 3},
      {"guest-spurious",
       "a guest forks and waits, and futex waits return for no reason",
       &guest_forks,
       1,
       2,
       true,
       {.spurious_wakes = 1}},
      {"members-full", "more guests than the word has room for", &members_fill_the_word, 0, 1},
  };
  return all;
}

}  // namespace verify
