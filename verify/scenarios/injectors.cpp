// An injector by itself, with producers and consumers, and a mailbox.
#include "scenarios.hpp"
#include "support.hpp"

namespace verify {

namespace {

/// A queue takes a job out for whoever runs it; there is no seat.
void run_from_queue(job* j) {
  if (j != nullptr) {
    once::run(*j, *static_cast<seat*>(nullptr));
  }
}

/// Jobs for an injector, in plain memory that whoever pops one must see.
template <unsigned Count>
struct injected_jobs {
  injector queue;
  once all[Count];

  void push(unsigned which) {
    all[which].context = &all[which];
    queue.push(all[which]);
  }
  /// False: there was none.
  bool pop() {
    auto* const j = static_cast<once*>(queue.pop());
    expect(j == nullptr || j->context == j, "lost job", "a job without its contents");
    run_from_queue(j);
    return j != nullptr;
  }
  /// Runs all threads to their end and then what is left.
  void run_to_the_end_of_all() {
    on().settle();
    on().go();
    on().until_quiet();
    on().know_everything();
    while (pop()) {
    }
    expect(queue.empty(), "lost job", "an injector without a job says that it holds one");
    for (const once& each : all) {
      expect(each.ran(), "lost job", "a job that was pushed is nowhere");
    }
  }
};

}  // namespace

/// Two producers and a consumer of an injector by itself.
void injector_two_producers() {
  auto& queue = *new injector;
  once* const all = new once[3];
  const auto put = [&queue, all] { queue.push(all[0]); };
  const auto put_two = [&queue, all] {
    queue.push(all[1]);
    queue.push(all[2]);
  };
  const auto get = [&queue] {
    for (int i = 0; i < 2; ++i) {
      if (job* const j = queue.pop()) {
        once::run(*j, *static_cast<seat*>(nullptr));
      }
    }
  };
  new outsider("producer 1", put);
  new outsider("producer 2", put_two);
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

/// Two consumers of so many jobs, which go over the counter more than once.
void injector_two_consumers() {
  constexpr unsigned count = 7;
  auto& queue = *new injector;
  once* const all = new once[count];
  for (unsigned i = 0; i < count; ++i) {
    all[i].context = &all[i];
    queue.push(all[i]);
  }
  const auto get = [&queue, all] {
    const once* before = nullptr;
    for (int i = 0; i < 2; ++i) {
      auto* const j = static_cast<once*>(queue.pop());
      expect(j != nullptr, "lost job", "a job is in the injector, and a consumer finds none");
      expect(before < j && j->context == j, "job twice", "not in their order");
      once::run(*j, *static_cast<seat*>(nullptr));
      before = j;
    }
  };
  new outsider("consumer 1", get);
  new outsider("consumer 2", get);
  on().settle();
  on().go();
  on().until_quiet();
  on().know_everything();
  while (job* const j = queue.pop()) {
    once::run(*j, *static_cast<seat*>(nullptr));
  }
  for (unsigned i = 0; i < count; ++i) {
    expect(all[i].ran(), "lost job", "a job that was pushed is nowhere");
  }
}

/// So many jobs in an injector, all but one are popped: whoever looks meanwhile finds it not empty.
template <unsigned Count>
void injector_look_at() {
  auto& queue = *new injector;
  once* const all = new once[Count];
  for (unsigned i = 0; i < Count; ++i) {
    queue.push(all[i]);
  }
  const auto get = [&queue] {
    for (unsigned i = 0; i + 1 < Count; ++i) {
      once::run(*queue.pop(), *static_cast<seat*>(nullptr));
    }
  };
  const auto look = [&queue] {
    expect(!queue.empty(), "lost job", "a job is in the injector, and it says that it is empty");
  };
  new outsider("consumer", get);
  new outsider("looker", look);
  on().settle();
  on().go();
  on().until_quiet();
  on().know_everything();
  expect(all[Count - 2].ran() && !all[Count - 1].ran(), "job twice", "not in their order");
}
void injector_look() { injector_look_at<2>(); }
void injector_look_long() { injector_look_at<4>(); }

/// Two producers, of which one finds the inbox full and moves it to the list, while a consumer takes jobs.
void injector_whose_inbox_is_full() {
  auto* const q = new injected_jobs<4>;
  const auto put_three = [q] {
    for (const unsigned which : {0u, 1u, 2u}) {
      q->push(which);
    }
  };
  const auto put = [q] { q->push(3); };
  const auto get = [q] { static_cast<void>(q->pop()); };
  new outsider("producer 1", put_three);
  new outsider("producer 2", put);
  new outsider("consumer", get);
  q->run_to_the_end_of_all();
}

/// A full inbox, a full counter and a list between them: a producer moves the inbox while a consumer fills the counter
/// again, and another one takes from it. They get the jobs of each producer in its order.
void injector_counter_is_filled_again() {
  auto* const q = new injected_jobs<6>;
  for (const unsigned which : {0u, 1u, 2u, 3u}) {
    q->push(which);
  }
  static_cast<void>(q->pop());
  const auto put_two = [q] {
    q->push(4);
    q->push(5);
  };
  const auto get_two = [q] {
    for (int i = 0; i < 2; ++i) {
      expect(q->pop(), "lost job", "jobs are in the injector, and a consumer finds none");
    }
  };
  const auto get = [q] { static_cast<void>(q->pop()); };
  new outsider("producer", put_two);
  new outsider("consumer 1", get_two);
  new outsider("consumer 2", get);
  q->run_to_the_end_of_all();
}

/// A looker while a producer moves the full inbox to the list: the job that was there before is always in sight.
void injector_look_at_a_full_inbox() {
  auto* const q = new injected_jobs<3>;
  q->push(0);
  q->push(1);
  const auto put = [q] { q->push(2); };
  const auto look = [q] {
    expect(!q->queue.empty(), "lost job", "a job is in the injector, and it says that it is empty");
  };
  new outsider("producer", put);
  new outsider("looker", look);
  q->run_to_the_end_of_all();
}

/// A mailbox: its occupant takes only what it wants, though older mail is there, and the rest later, in order.
void mailbox_with_unwanted_mail() {
  struct shared {
    mailbox box;
    once unwanted[2], wanted;

    void send(once& j) {
      j.context = &j;
      box.push(j);
    }
    static void got(once* j) {
      expect(j->context == j, "lost job", "mail without its contents");
      run_from_queue(j);
    }
  };
  auto* const s = new shared;
  const auto send_two = [s] {
    s->send(s->unwanted[0]);
    s->send(s->wanted);
  };
  const auto send_one = [s] { s->send(s->unwanted[1]); };
  const auto take = [s] {
    const auto is_wanted = [s](const posted_job& j) { return &j == &s->wanted; };
    for (int i = 0; i < 2; ++i) {
      if (posted_job* const j = s->box.pop_if(is_wanted)) {
        expect(j == &s->wanted, "order", "mail was taken that nobody wanted");
        shared::got(static_cast<once*>(j));
      }
    }
    if (posted_job* const j = s->box.pop()) {
      shared::got(static_cast<once*>(j));
    }
  };
  new outsider("sender 1", send_two);
  new outsider("sender 2", send_one);
  new outsider("occupant", take);
  on().settle();
  on().go();
  on().until_quiet();
  on().know_everything();
  while (posted_job* const j = s->box.pop()) {
    shared::got(static_cast<once*>(j));
  }
  expect(s->box.empty(), "lost job", "a mailbox without mail says that it has some");
  expect(s->unwanted[0].ran() && s->unwanted[1].ran() && s->wanted.ran(), "lost job", "mail that was sent is nowhere");
}

/// A full inbox and two producers who both find it so, without a consumer: it never holds more than it may, so that
/// nobody has to turn round more at once.
void injector_inbox_is_full_for_two() {
  auto* const q = new injected_jobs<5>;
  q->push(0);
  q->push(1);
  const auto put = [q](unsigned first, unsigned count) {
    return [=] {
      for (unsigned i = 0; i < count; ++i) {
        q->push(first + i);
      }
    };
  };
  outside_after_go("producer 1", put(2, 1));
  outside_after_go("producer 2", put(3, 2));
  const std::uint32_t before = on().did(1).rmws + on().did(2).rmws;
  on().go();
  on().until_quiet();
  on().know_everything();
  // Three pushes, and two times the lock, the exchange and the lock again: five jobs went by an inbox for two.
  expect(on().did(1).rmws + on().did(2).rmws - before >= 9, "bound of the inbox", "an inbox was more than full");
  while (q->pop()) {
  }
  for (const once& each : q->all) {
    expect(each.ran(), "lost job", "a job that was pushed is nowhere");
  }
}

}  // namespace verify
