// The deque by itself: an owner and thieves, with growth and with indices that wrap round the buffer.
#include "scenarios.hpp"
#include "support.hpp"

namespace verify {

namespace {

struct shared_deque {
  deque jobs;  // of two slots
  once items[4];

  void got(job* j) {
    if (j != nullptr) {
      once::run(*j, *static_cast<seat*>(nullptr));
    }
  }
  /// What nobody got is still there.
  void expect_all_ran(unsigned pushed) {
    while (job* const rest = deque_owner(jobs).take()) {
      got(rest);
    }
    for (unsigned i = 0; i < pushed; ++i) {
      expect(items[i].ran(), "lost job", "a job that was pushed is nowhere");
    }
  }
};

template <unsigned Before, unsigned Pushes, unsigned Takes, unsigned Thieves, unsigned Steals>
void deque_with_thieves() {
  auto& d = *new shared_deque;
  // So that the indices do not start at the beginning of the buffer.
  once filler[2];
  for (unsigned i = 0; i < Before; ++i) {
    deque_owner(d.jobs).push(filler[i]);
    static_cast<void>(deque_thief(d.jobs).steal());
  }
  const auto own = [&d] {
    deque_owner mine(d.jobs);
    for (unsigned i = 0; i < Pushes; ++i) {
      mine.push(d.items[i]);
    }
    for (unsigned i = 0; i < Takes; ++i) {
      d.got(mine.take());
    }
  };
  const auto rob = [&d] {
    for (unsigned i = 0; i < Steals; ++i) {
      d.got(deque_thief(d.jobs).steal().stolen);
    }
  };
  new outsider("owner", own);
  for (unsigned i = 0; i < Thieves; ++i) {
    new outsider(i == 0 ? "thief 1" : "thief 2", rob);
  }
  on().settle();
  on().go();
  on().until_quiet();
  on().know_everything();
  d.expect_all_ran(Pushes);
}

}  // namespace

void deque_two_jobs() { deque_with_thieves<0, 2, 2, 1, 2>(); }
void deque_growth() { deque_with_thieves<1, 3, 2, 1, 2>(); }
void deque_growth_two_thieves() { deque_with_thieves<0, 3, 0, 2, 2>(); }
void deque_two_thieves() { deque_with_thieves<1, 3, 1, 2, 1>(); }

/// The owner pushes and takes in turn, so that the same slots come up again.
void deque_push_take_push() {
  auto& d = *new shared_deque;
  const auto own = [&d] {
    deque_owner mine(d.jobs);
    mine.push(d.items[0]);
    d.got(mine.take());
    mine.push(d.items[1]);
    mine.push(d.items[2]);
    d.got(mine.take());
    mine.push(d.items[3]);
  };
  const auto rob = [&d] {
    d.got(deque_thief(d.jobs).steal().stolen);
    d.got(deque_thief(d.jobs).steal().stolen);
  };
  new outsider("owner", own);
  new outsider("thief 1", rob);
  on().settle();
  on().go();
  on().until_quiet();
  on().know_everything();
  d.expect_all_ran(4);
}

/// Two producers, one with a batch, and a consumer of an injector by itself.
void injector_two_producers() {
  auto& queue = *new injector;
  once* const all = new once[3];
  const auto put = [&queue, all] { queue.push(all[0]); };
  const auto put_batch = [&queue, all] {
    all[1].next = &all[2];
    queue.push_batch(all[1], all[2]);
  };
  const auto get = [&queue] {
    for (int i = 0; i < 2; ++i) {
      if (job* const j = queue.pop()) {
        once::run(*j, *static_cast<seat*>(nullptr));
      }
    }
  };
  new outsider("producer 1", put);
  new outsider("producer 2", put_batch);
  new outsider("consumer", get);
  on().settle();
  on().go();
  on().until_quiet();
  on().know_everything();
  while (job* const j = queue.pop()) {
    once::run(*j, *static_cast<seat*>(nullptr));
  }
  for (int i = 0; i < 3; ++i) {
    expect(all[i].ran(), "lost job", "a job that was pushed is nowhere");
  }
}

/// Two jobs in an injector, one is popped: whoever looks meanwhile finds it not empty.
void injector_look() {
  auto& queue = *new injector;
  once* const all = new once[2];
  all[0].next = &all[1];
  queue.push_batch(all[0], all[1]);
  const auto get = [&queue] { once::run(*queue.pop(), *static_cast<seat*>(nullptr)); };
  const auto look = [&queue] {
    expect(!queue.empty(), "lost job", "a job is in the injector, and it says that it is empty");
  };
  new outsider("consumer", get);
  new outsider("looker", look);
  on().settle();
  on().go();
  on().until_quiet();
  on().know_everything();
  expect(all[0].ran() && !all[1].ran(), "job twice", "not in their order");
}

}  // namespace verify
