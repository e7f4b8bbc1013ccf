// A deque by itself, with its owner and thieves, with growth and with a buffer that is used again.
#include "scenarios.hpp"
#include "support.hpp"

namespace verify {

namespace {

struct shared_deque {
  explicit shared_deque(std::size_t slots = 2, std::uint64_t start = 1) : jobs(slots, start) {}

  deque jobs;
  once items[5];

  std::uint64_t push(deque_owner& mine, unsigned item) {
    items[item].context = &items[item];  // plain memory: whoever gets the job must see what was written before
    const std::uint64_t at = mine.push(items[item]);
    if (!now_set.process_fence) {
      mine.publish();  // nothing is private where nothing can be exposed
    }
    return at;
  }
  void post(deque_owner& mine, unsigned item) {
    items[item].context = &items[item];
    mine.reserve();
    mine.post(items[item]);
  }
  /// As a join comes back for what it has pushed.
  void come_back(deque_owner& mine, std::uint64_t at, unsigned item) {
    if (!mine.take_private(at)) {
      for (bool on_top = mine.nothing_above(at); !on_top; on_top = mine.position() == at + 1) {
        job* const above = mine.take().what();
        if (above == nullptr) {
          return;
        }
        got(above);
      }
      if (!mine.take_public(at)) {
        return;
      }
    }
    got(&items[item]);
  }
  void got(job* j) {
    if (j != nullptr) {
      expect(static_cast<once*>(j)->context == j, "lost job", "a job without its contents");
      once::run(*j, *static_cast<seat*>(nullptr));
    }
  }
  /// What nobody got is still there.
  void expect_all_ran(unsigned pushed) {
    while (job* const rest = deque_owner(jobs).take().what()) {
      got(rest);
    }
    for (unsigned i = 0; i < pushed; ++i) {
      expect(items[i].ran(), "lost job", "a job that was pushed is nowhere");
    }
  }
};

void fence_heavy() { now_set.process_fence ? fence_process() : fence_seq_cst(); }

/// Three thieves at most, each of whom insists: what is private it exposes.
void start_thieves(shared_deque& d, unsigned thieves, unsigned steals) {
  static constexpr const char* names[] = {"thief 1", "thief 2", "thief 3"};
  for (std::uint32_t me = 0; me < thieves; ++me) {
    const auto rob = [&d, me, steals] {
      deque_thief thief(d.jobs);
      for (unsigned i = 0; i < steals; ++i) {
        deque_thief::loot got = thief.steal();
        if (!got.stolen) {
          thief.expose(me, fence_heavy);
          got = thief.steal();
        }
        d.got(got.stolen.what());
      }
    };
    new outsider(names[me], rob);
  }
}

/// Runs them, and looks for jobs that got lost.
void run_to_the_end(shared_deque& d, unsigned pushed) {
  on().settle();
  on().go();
  on().until_quiet();
  on().know_everything();
  d.expect_all_ran(pushed);
}

/// An owner who does `own` against one thief with two steals.
template <class Own>
void against_a_thief(unsigned pushed, Own own) {
  auto& d = *new shared_deque;
  const auto run = [&d, own] {
    deque_owner mine(d.jobs);
    own(d, mine);
  };
  new outsider("owner", run);
  start_thieves(d, 1, 2);
  run_to_the_end(d, pushed);
}

/// The owner forks so many times, the last of them in sight of somebody hungry if it publishes; then it takes some
/// back.
template <unsigned Before, unsigned Pushes, bool Publishes, unsigned Takes, unsigned Thieves, unsigned Steals,
          std::uint64_t Start = 1>
void deque_with_thieves() {
  auto& d = *new shared_deque(2, Start);
  // So that the indices do not start at the beginning of the buffer, or in the second one.
  once filler[2];
  for (unsigned i = 0; i < Before; ++i) {
    deque_owner mine(d.jobs);
    mine.push(filler[i]);
    mine.publish();
    static_cast<void>(deque_thief(d.jobs).steal());
  }
  const auto own = [&d] {
    deque_owner mine(d.jobs);
    std::uint64_t at[Pushes];
    for (unsigned i = 0; i < Pushes; ++i) {
      at[i] = d.push(mine, i);
    }
    if (Publishes) {
      mine.publish();
    }
    for (unsigned i = 0; i < Takes; ++i) {
      d.come_back(mine, at[Pushes - 1 - i], Pushes - 1 - i);
    }
  };
  new outsider("owner", own);
  start_thieves(d, Thieves, Steals);
  run_to_the_end(d, Pushes);
}

}  // namespace

void deque_private() { deque_with_thieves<0, 2, false, 2, 1, 2>(); }
void deque_public() { deque_with_thieves<0, 2, true, 2, 1, 2>(); }
void deque_growth() { deque_with_thieves<1, 3, false, 2, 1, 2>(); }
/// The same across the place where an index once filled the word, across the one where the addresses of slots wrap, and
/// with the last positions of all.
void deque_growth_far() { deque_with_thieves<1, 3, false, 2, 1, 2, (std::uint64_t{1} << 46) - 2>(); }
void deque_growth_farther() { deque_with_thieves<1, 3, false, 2, 1, 2, (std::uint64_t{1} << 61) - 3>(); }
void deque_growth_last() { deque_with_thieves<1, 3, false, 2, 1, 2, (std::uint64_t{1} << 63) - 5>(); }
void deque_growth_two_thieves() { deque_with_thieves<0, 3, false, 0, 2, 2>(); }
void deque_two_thieves() { deque_with_thieves<1, 3, false, 1, 2, 1>(); }
void deque_two_thieves_public() { deque_with_thieves<1, 3, true, 2, 2, 1>(); }

void deque_three_thieves() { deque_with_thieves<0, 2, false, 1, 3, 1>(); }
/// One of them only exposes.
void deque_two_thieves_and_exposer() {
  auto& d = *new shared_deque;
  const auto own = [&d] {
    deque_owner mine(d.jobs);
    d.push(mine, 0);
    d.come_back(mine, d.push(mine, 1), 1);
  };
  const auto expose = [&d] { deque_thief(d.jobs).expose(2, fence_heavy); };
  new outsider("owner", own);
  start_thieves(d, 2, 1);
  new outsider("exposer", expose);
  run_to_the_end(d, 2);
}

/// The owner pushes and takes in turn, so that the same slots come up again.
void deque_push_take_push() {
  against_a_thief(4, [](shared_deque& d, deque_owner& mine) {
    d.come_back(mine, d.push(mine, 0), 0);
    d.push(mine, 1);
    d.come_back(mine, d.push(mine, 2), 2);
    d.push(mine, 3);
  });
}

/// An exposer comes late, when the deque looks as it did before, and another one is at it.
void deque_two_exposers() {
  auto& d = *new shared_deque;
  const auto own = [&d] {
    deque_owner mine(d.jobs);
    d.push(mine, 0);
    d.come_back(mine, d.push(mine, 1), 1);
    d.come_back(mine, d.push(mine, 2), 2);
  };
  const auto expose = [&d] { deque_thief(d.jobs).expose(1, fence_heavy); };
  new outsider("owner", own);
  start_thieves(d, 1, 2);
  new outsider("exposer", expose);
  run_to_the_end(d, 3);
}

/// The owner publishes between its pushes, while somebody exposes.
void deque_publish_and_expose() {
  against_a_thief(3, [](shared_deque& d, deque_owner& mine) {
    const std::uint64_t first = d.push(mine, 0);
    mine.publish();
    d.come_back(mine, d.push(mine, 1), 1);
    d.come_back(mine, d.push(mine, 2), 2);
    d.come_back(mine, first, 0);
  });
}

/// The first closure of a join has left a job above, and another join above that has come and gone.
void deque_posted() {
  against_a_thief(4, [](shared_deque& d, deque_owner& mine) {
    const std::uint64_t first = d.push(mine, 0);
    d.post(mine, 1);
    d.come_back(mine, d.push(mine, 2), 2);
    d.come_back(mine, first, 0);
    d.push(mine, 3);
  });
}

/// The same, with a wait that has taken from the own deque in between.
void deque_wait() {
  against_a_thief(4, [](shared_deque& d, deque_owner& mine) {
    const std::uint64_t first = d.push(mine, 0);
    d.post(mine, 1);
    const std::uint64_t second = d.push(mine, 2);
    d.got(mine.take().what());
    d.come_back(mine, second, 2);
    d.come_back(mine, first, 0);
    d.push(mine, 3);
  });
}

/// A wait has taken the job that was left above.
void deque_posted_taken() {
  against_a_thief(4, [](shared_deque& d, deque_owner& mine) {
    const std::uint64_t first = d.push(mine, 0);
    const std::uint64_t second = d.push(mine, 1);
    d.post(mine, 2);
    d.got(mine.take().what());
    d.come_back(mine, second, 1);
    d.come_back(mine, first, 0);
    d.push(mine, 3);
  });
}

/// A buffer that is more than half full when it is left, and one more push after that.
void deque_half_full() {
  auto& d = *new shared_deque(4);
  once filler;
  deque_owner before(d.jobs);
  before.push(filler);
  before.publish();
  static_cast<void>(deque_thief(d.jobs).steal());
  for (unsigned i = 0; i < 3; ++i) {
    d.push(before, i);
  }
  before.publish();
  const auto own = [&d] {
    deque_owner mine(d.jobs);
    d.push(mine, 3);
    d.push(mine, 4);
  };
  new outsider("owner", own);
  start_thieves(d, 1, 2);
  run_to_the_end(d, 5);
}

/// A wait takes from the own deque while an exposer that has looked before comes back to what looks the same.
void deque_wait_and_expose() {
  auto& d = *new shared_deque;
  const auto own = [&d] {
    deque_owner mine(d.jobs);
    const std::uint64_t first = d.push(mine, 0);
    mine.publish();
    d.come_back(mine, d.push(mine, 1), 1);
    job* const taken = mine.take().what();
    expect(taken != nullptr || !deque_thief(d.jobs).in_sight(), "lost job", "a wait has overlooked a job of its own");
    d.got(taken);
    d.come_back(mine, first, 0);
  };
  const auto expose = [&d] { deque_thief(d.jobs).expose(1, fence_heavy); };
  new outsider("owner", own);
  new outsider("exposer", expose);
  run_to_the_end(d, 2);
}

/// The head goes on and on, so that the two buffers are used in turn while a thief may still read in the other.
void deque_two_buffers() {
  against_a_thief(5, [](shared_deque& d, deque_owner& mine) {
    for (unsigned i = 0; i < 5; ++i) {
      const std::uint64_t at = d.push(mine, i);
      mine.publish();
      d.come_back(mine, at, i);
    }
  });
}

/// The same, with a thief that is at the first job from the start, and may take its time.
void deque_slow_thief() {
  auto& d = *new shared_deque;
  deque_owner before(d.jobs);
  const std::uint64_t first = d.push(before, 0);
  before.publish();
  const auto own = [&d, first] {
    deque_owner mine(d.jobs);
    d.come_back(mine, first, 0);
    for (unsigned i = 1; i < 5; ++i) {
      const std::uint64_t at = d.push(mine, i);
      mine.publish();
      d.come_back(mine, at, i);
    }
  };
  const auto rob = [&d] { d.got(deque_thief(d.jobs).steal().stolen.what()); };
  new outsider("owner", own);
  new outsider("thief 1", rob);
  run_to_the_end(d, 5);
}

/// The first job stays where it is while the owner moves on to another buffer: whoever looks at it sees it, and knows
/// what it is.
void deque_oldest_stays() {
  auto& d = *new shared_deque;
  once filler;
  deque_owner before(d.jobs);
  before.push(filler);
  before.publish();
  static_cast<void>(deque_thief(d.jobs).steal());
  d.push(before, 0);
  before.publish();
  const auto own = [&d] {
    deque_owner mine(d.jobs);
    d.push(mine, 1);
    mine.publish();
  };
  const auto look = [&d] {
    deque_thief other(d.jobs);
    expect(other.oldest_is([&d](entry e) { return e.what() == &d.items[0]; }), "lost job",
           "the oldest job is wanted, and whoever looks does not see it");
    expect(!other.oldest_is([](entry) { return false; }), "needless look",
           "nobody wants the oldest job, and it counts");
  };
  new outsider("owner", own);
  new outsider("looker", look);
  run_to_the_end(d, 2);
}

/// The first job goes, and the next one too, and the owner moves on to a buffer that begins behind them: whoever looks
/// reads no slot that does not exist.
void deque_oldest_goes() {
  auto& d = *new shared_deque;
  deque_owner before(d.jobs);
  const std::uint64_t first = d.push(before, 0);
  before.publish();
  const auto own = [&d, first] {
    deque_owner mine(d.jobs);
    d.come_back(mine, first, 0);
    const std::uint64_t second = d.push(mine, 1);
    mine.publish();
    d.come_back(mine, second, 1);
    d.push(mine, 2);
    mine.publish();
  };
  const auto look = [&d] {
    static_cast<void>(deque_thief(d.jobs).oldest_is([&d](entry e) {
      const job* const j = e.what();
      expect(j >= &d.items[0] && j <= &d.items[2], "lost job", "whoever looks for the oldest job finds none there");
      return true;
    }));
  };
  new outsider("owner", own);
  new outsider("looker", look);
  run_to_the_end(d, 3);
}

/// An exposer has looked at a job that is gone when its mark is there. Others come to the same place, and the owner
/// finds the mark when it comes back for the newest.
void deque_exposed_late() {
  auto& d = *new shared_deque;
  deque_owner before(d.jobs);
  const std::uint64_t first = d.push(before, 0);
  const auto own = [&d, first] {
    deque_owner mine(d.jobs);
    d.come_back(mine, first, 0);
    d.push(mine, 1);
    d.come_back(mine, d.push(mine, 2), 2);
  };
  const auto rob = [&d] {
    deque_thief thief(d.jobs);
    thief.expose(1, fence_heavy);
    d.got(thief.steal().stolen.what());
  };
  new outsider("owner", own);
  new outsider("thief", rob);
  run_to_the_end(d, 3);
}

/// Two exposers of one job: the one whose mark is not there has no heavy fence, which stops every processor.
void deque_exposed_once() {
  auto& d = *new shared_deque;
  auto& fences = *new tally;
  deque_owner before(d.jobs);
  d.push(before, 0);
  const auto expose = [&](std::uint32_t me) {
    return [&, me] {
      deque_thief(d.jobs).expose(me, [&] {
        fences.add();
        fence_heavy();
      });
    };
  };
  outside_after_go("exposer 1", expose(1));
  outside_after_go("exposer 2", expose(2));
  run_to_the_end(d, 1);
  expect(fences.now() <= 1, "cost of a steal", "more heavy fences than exposers that have set their mark");
}

/// A wait takes the newest posted job while somebody exposes, and steals what is public.
void deque_posted_and_exposed() {
  auto& d = *new shared_deque;
  deque_owner before(d.jobs);
  d.post(before, 0);
  d.post(before, 1);
  const auto own = [&d] { d.got(deque_owner(d.jobs).take().what()); };
  const auto rob = [&d] {
    deque_thief thief(d.jobs);
    thief.expose(1, fence_heavy);
    d.got(thief.steal().stolen.what());
    d.got(thief.steal().stolen.what());
  };
  new outsider("owner", own);
  new outsider("thief", rob);
  run_to_the_end(d, 2);
}

/// Two public jobs: the owner comes back for the newer one while one thief steals the older one, and another thief is
/// about to steal what is then the oldest.
void deque_last_of_two() {
  auto& d = *new shared_deque;
  deque_owner before(d.jobs);
  d.push(before, 0);
  const std::uint64_t second = d.push(before, 1);
  before.publish();
  const auto own = [&d, second] {
    deque_owner mine(d.jobs);
    d.come_back(mine, second, 1);
  };
  const auto rob = [&d] { d.got(deque_thief(d.jobs).steal().stolen.what()); };
  new outsider("owner", own);
  new outsider("thief 1", rob);
  new outsider("thief 2", rob);
  run_to_the_end(d, 2);
}

}  // namespace verify
