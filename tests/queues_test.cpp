// Deque, injector, mailbox and line: order, growth, and every job exactly once.
#include <dozer/detail/deque.hpp>
#include <dozer/detail/injector.hpp>
#include <dozer/detail/mailbox.hpp>

#include "support.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

namespace {

using namespace dozer::detail;

constexpr job_kind no_kind{nullptr, nullptr, nullptr};

struct numbered : posted_job {
  explicit numbered(int n) : posted_job(no_kind), number(n) {}
  int number;
};

int number_of(const job* j) { return static_cast<const numbered*>(j)->number; }

std::deque<numbered> make_jobs(int count) {
  std::deque<numbered> jobs;
  for (int i = 0; i < count; ++i) {
    jobs.emplace_back(i);
  }
  return jobs;
}

// ---- deque --------------------------------------------------------------------------------------

/// As a join comes back for what it has pushed: `run` gets what was left above it. False: it was stolen.
template <class Run>
bool come_back(deque_owner& owner, std::uint64_t position, Run&& run) {
  if (owner.take_private(position)) {
    return true;
  }
  for (bool on_top = owner.nothing_above(position); !on_top; on_top = owner.position() == position + 1) {
    const job* const j = owner.take().what();
    if (j == nullptr) {
      return false;
    }
    run(j);
  }
  return owner.take_public(position);
}

void post(deque_owner& owner, job& j) {
  owner.reserve();
  owner.post(j);
}

TEST(Deque, OwnerTakesTheNewestThiefStealsTheOldest) {
  auto jobs = make_jobs(3);
  deque d;
  deque_owner owner(d);
  deque_thief thief(d);
  for (numbered& j : jobs) {
    post(owner, j);
  }
  EXPECT_TRUE(owner.publish());
  EXPECT_EQ(number_of(owner.take().what()), 2);
  EXPECT_EQ(number_of(thief.steal().stolen.what()), 0);
  EXPECT_TRUE(thief.in_sight());
  EXPECT_EQ(number_of(owner.take().what()), 1);
  EXPECT_EQ(owner.take().what(), nullptr);
  EXPECT_EQ(thief.steal().stolen.what(), nullptr);
  EXPECT_FALSE(thief.in_sight());
}

TEST(Deque, AWaitTakesTheOldestIfAJoinWillComeBackForTheNewest) {
  auto jobs = make_jobs(3);
  deque d;
  deque_owner owner(d);
  const std::uint64_t first = owner.push(jobs[0]);
  const std::uint64_t second = owner.push(jobs[1]);
  EXPECT_EQ(number_of(owner.take().what()), 0);
  post(owner, jobs[2]);
  EXPECT_EQ(number_of(owner.take().what()), 2);
  EXPECT_TRUE(come_back(owner, second, [](const job*) { ADD_FAILURE() << "nothing is above it"; }));
  EXPECT_FALSE(come_back(owner, first, [](const job*) { ADD_FAILURE() << "nothing is above it"; }));
  EXPECT_FALSE(deque_thief(d).in_sight());
}

TEST(Deque, AJoinThatComesBackRunsWhatWasLeftAbove) {
  auto jobs = make_jobs(3);
  deque d;
  deque_owner owner(d);
  const std::uint64_t position = owner.push(jobs[0]);
  post(owner, jobs[1]);
  post(owner, jobs[2]);
  std::vector<int> ran;
  EXPECT_TRUE(come_back(owner, position, [&](const job* j) { ran.push_back(number_of(j)); }));
  EXPECT_EQ(ran, (std::vector<int>{2, 1}));
  EXPECT_FALSE(deque_thief(d).in_sight());
}

TEST(Deque, WhatIsLeftAboveStaysInSightWhileAJoinComesBack) {
  auto jobs = make_jobs(2);
  deque d;
  deque_owner owner(d);
  const std::uint64_t position = owner.push(jobs[0]);
  post(owner, jobs[1]);
  EXPECT_EQ(number_of(deque_thief(d).steal().stolen.what()), 0);
  EXPECT_FALSE(owner.take_private(position));  // has moved the head below it
  EXPECT_TRUE(deque_thief(d).in_sight());
  EXPECT_FALSE(owner.nothing_above(position));
  EXPECT_TRUE(deque_thief(d).in_sight());
}

TEST(Deque, WhatIsPrivateIsSeenButNotStolen) {
  auto jobs = make_jobs(2);
  deque d;
  deque_owner owner(d);
  deque_thief thief(d);
  owner.push(jobs[0]);
  EXPECT_FALSE(owner.publish());  // it is alone
  owner.push(jobs[1]);
  EXPECT_EQ(number_of(thief.steal().stolen.what()), 0);
  EXPECT_EQ(thief.steal().stolen.what(), nullptr);
  EXPECT_TRUE(thief.in_sight());
  EXPECT_TRUE(thief.has_private());
  thief.expose(0, fence_seq_cst);
  EXPECT_FALSE(thief.has_private());
  EXPECT_EQ(number_of(thief.steal().stolen.what()), 1);
}

TEST(Deque, AnExposerLeavesTheMarkOfAnotherAlone) {
  auto jobs = make_jobs(2);
  deque d;
  deque_owner owner(d);
  deque_thief thief(d), other(d);
  owner.push(jobs[0]);
  owner.push(jobs[1]);
  bool asked = false;
  thief.expose(3, [&] {
    asked = true;
    EXPECT_FALSE(other.has_private());  // somebody is at it
    other.expose(4, [] { ADD_FAILURE() << "two exposers of one deque"; });
    EXPECT_EQ(other.steal().stolen.what(), nullptr);  // not before the fence
  });
  EXPECT_TRUE(asked);
  EXPECT_EQ(number_of(other.steal().stolen.what()), 0);
}

TEST(Deque, AnOwnerThatActsMeanwhileHasTheLastWord) {
  auto jobs = make_jobs(3);
  deque d;
  deque_owner owner(d);
  deque_thief thief(d);
  owner.push(jobs[0]);
  const std::uint64_t second = owner.push(jobs[1]);
  const std::uint64_t third = owner.push(jobs[2]);
  const auto nothing = [](const job*) { ADD_FAILURE() << "nothing is above it"; };
  thief.expose(3, [&] { EXPECT_TRUE(come_back(owner, third, nothing)); });
  EXPECT_EQ(number_of(thief.steal().stolen.what()), 0);
  EXPECT_TRUE(come_back(owner, second, nothing));
  EXPECT_EQ(owner.take().what(), nullptr);
  EXPECT_EQ(thief.steal().stolen.what(), nullptr);
}

TEST(Deque, BehavesAsATwoEndedListAlsoWhileItGrows) {
  EXPECT_TRUE(rc::check("push, post, come back, take, steal, publish and expose as in a list, from 2 slots on", [] {
    enum step { push, post_one, back, take, steal, publish, expose };
    const auto steps = *rc::gen::container<std::vector<step>>(rc::gen::weightedElement<step>(
        {{6, push}, {2, post_one}, {3, back}, {1, take}, {2, steal}, {1, publish}, {1, expose}}));
    auto jobs = make_jobs(static_cast<int>(steps.size()));
    deque d(2, *rc::gen::element<std::uint64_t>(1, (1ull << 46) - 5, (1ull << 61) - 5, (1ull << 63) - 5'000));
    deque_owner owner(d);
    deque_thief thief(d);
    struct standing {
      int number;
      bool of_a_join;
    };
    std::deque<standing> model;
    std::size_t open = 0;  // of the oldest, so many are public
    std::vector<std::pair<int, std::uint64_t>> joins;
    int next = 0;
    const auto take_newest = [&](const job* got) {
      RC_ASSERT(got != nullptr && number_of(got) == model.back().number);
      model.pop_back();
    };
    for (const step each : steps) {
      switch (each) {
        case push:
          joins.emplace_back(next, owner.push(jobs[static_cast<std::size_t>(next)]));
          model.push_back({next++, true});
          break;
        case post_one:
          post(owner, jobs[static_cast<std::size_t>(next)]);
          model.push_back({next++, false});
          open = model.size();
          break;
        case back: {
          if (joins.empty()) {
            break;
          }
          const auto [number, position] = joins.back();
          joins.pop_back();
          const bool there =
              std::any_of(model.begin(), model.end(), [&](const standing& s) { return s.number == number; });
          RC_ASSERT(come_back(owner, position, take_newest) == there);
          if (there) {
            RC_ASSERT(model.back().number == number);
            model.pop_back();
          }
          open = std::min(open, model.size());
          break;
        }
        case take: {
          const job* const got = owner.take().what();
          if (model.empty()) {
            RC_ASSERT(got == nullptr);
          } else if (!model.back().of_a_join) {
            take_newest(got);
            open = model.size();
          } else {
            RC_ASSERT(got != nullptr && number_of(got) == model.front().number);
            model.pop_front();
            open = model.size();
          }
          break;
        }
        case steal: {
          const job* const got = thief.steal().stolen.what();
          RC_ASSERT((got == nullptr) == (open == 0));
          if (got != nullptr) {
            RC_ASSERT(number_of(got) == model.front().number);
            model.pop_front();
            --open;
          }
          break;
        }
        case publish:
          RC_ASSERT(owner.publish() == (model.size() > 1));
          open = model.size();
          break;
        case expose:
          RC_ASSERT(thief.has_private() == (open < model.size()));
          thief.expose(0, fence_seq_cst);
          open = model.size();
          break;
      }
      RC_ASSERT(thief.in_sight() == !model.empty());
    }
  }));
}

/// So many jobs for an owner and two thieves, in a deque that grows, from that position on.
void expect_each_job_once(int count, std::uint64_t start) {
  auto jobs = make_jobs(count);
  std::vector<std::atomic<int>> got(static_cast<std::size_t>(count));
  const auto one_more = [&](const job* j) { got[static_cast<std::size_t>(number_of(j))].fetch_add(1); };
  const bool can_expose = fence_process_available();
  deque d(2, start);
  std::atomic<bool> done{false};
  const auto rob = [&](std::uint32_t me) {
    deque_thief thief(d);
    for (bool last_look = false;;) {
      const auto loot = thief.steal();
      if (loot.stolen) {
        one_more(loot.stolen.what());
      } else if (!loot.lost) {
        if (can_expose) {
          thief.expose(me, fence_process);
        }
        if (last_look && !thief.in_sight()) {
          return;
        }
        last_look = done.load();
      }
    }
  };
  std::thread a(rob, 1), b(rob, 2);
  deque_owner owner(d);
  std::mt19937_64 chance(dozer_test::seed());
  std::vector<std::pair<int, std::uint64_t>> joins;
  const auto come_back_for_one = [&] {
    const auto [number, position] = joins.back();
    joins.pop_back();
    if (come_back(owner, position, one_more)) {
      one_more(&jobs[static_cast<std::size_t>(number)]);
    }
  };
  for (int next = 0; next < count;) {
    const int burst = static_cast<int>(chance() % 300);
    for (int i = 0; i < burst && next < count; ++i) {
      numbered& j = jobs[static_cast<std::size_t>(next)];
      if (chance() % 8 == 0) {
        post(owner, j);
      } else {
        joins.emplace_back(next, owner.push(j));
      }
      ++next;
      if (!can_expose || chance() % 64 == 0) {
        owner.publish();
      } else if (chance() % 2 == 0 && !joins.empty()) {
        come_back_for_one();
      }
    }
    const int rest = static_cast<int>(chance() % 300);
    for (int i = 0; i < rest; ++i) {
      if (chance() % 4 == 0) {
        if (const job* const j = owner.take().what()) {
          one_more(j);
        }
      } else if (!joins.empty()) {
        come_back_for_one();
      }
    }
  }
  while (!joins.empty()) {
    come_back_for_one();
  }
  while (const job* const j = owner.take().what()) {
    one_more(j);
  }
  done = true;
  a.join();
  b.join();
  EXPECT_TRUE(std::all_of(got.begin(), got.end(), [](const auto& n) { return n.load() == 1; }));
}

TEST(Deque, EveryJobGoesToExactlyOneOfOwnerAndTwoThievesAcrossGrowth) { expect_each_job_once(60'000, 1); }

// Where an index filled the word once, where the addresses of slots wrap, and the last positions of all.
TEST(Deque, GoesOnWhereverItsPositionsAre) {
  constexpr int count = 20'000;
  for (const unsigned bits : {32u, 46u, 61u, 62u}) {
    SCOPED_TRACE(bits);
    expect_each_job_once(count, (std::uint64_t{1} << bits) - 100);
  }
  expect_each_job_once(count, (std::uint64_t{1} << 63) - count - 1);
}

// ---- injector -----------------------------------------------------------------------------------

TEST(Injector, GivesBackInTheOrderOfArrival) {
  auto jobs = make_jobs(5);
  injector q;
  EXPECT_TRUE(q.empty());
  EXPECT_FALSE(q.push(jobs[0]));
  EXPECT_TRUE(q.push(jobs[1]));
  EXPECT_EQ(number_of(q.pop()), 0);
  EXPECT_TRUE(q.push(jobs[2]));
  EXPECT_FALSE(q.empty());
  EXPECT_EQ(number_of(q.pop()), 1);
  EXPECT_EQ(number_of(q.pop()), 2);
  EXPECT_TRUE(q.empty());
  EXPECT_EQ(q.pop(), nullptr);
}

TEST(Injector, TurnsAtMostSixtyFourLinksAPopHoweverManyJobsThereAre) {
  constexpr int count = 20'000, pops = 300;
  auto jobs = make_jobs(count);
  injector q;
  for (numbered& j : jobs) {
    q.push(j);
  }
  EXPECT_EQ(q.count(), static_cast<std::uint64_t>(count));
  std::vector<const posted_job*> links(count);
  const auto note_links = [&] {
    int turned = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      turned += std::exchange(links[i], jobs[i].next) != jobs[i].next ? 1 : 0;
    }
    return turned;
  };
  note_links();
  for (int i = 0; i < pops; ++i) {
    ASSERT_EQ(number_of(q.pop()), i);
    ASSERT_LE(note_links(), 64) << "at pop " << i;
  }
  for (int i = pops; i < count; ++i) {
    ASSERT_EQ(number_of(q.pop()), i);
  }
  EXPECT_EQ(q.count(), 0u);
  EXPECT_TRUE(q.empty());
}

TEST(Injector, CountsWhatStandsInIt) {
  auto jobs = make_jobs(200);
  injector q;
  for (std::uint64_t i = 0; i < 200; ++i) {
    EXPECT_EQ(q.count(), i);
    q.push(jobs[i]);
  }
  for (std::uint64_t i = 200; i > 0; --i) {
    EXPECT_EQ(q.count(), i);
    static_cast<void>(q.pop());
  }
}

TEST(Injector, ManyProducersAndConsumersEveryJobOnceEachProducersInOrder) {
  constexpr int producers = 3, consumers = 2, each = 10'000;
  auto jobs = make_jobs(producers * each);
  injector q;
  std::atomic<int> taken{0};
  std::vector<std::vector<int>> seen(consumers);
  std::vector<std::thread> threads;
  for (int p = 0; p < producers; ++p) {
    threads.emplace_back([&, p] {
      for (int i = 0; i < each; ++i) {
        q.push(jobs[static_cast<std::size_t>(p * each + i)]);
      }
    });
  }
  for (int c = 0; c < consumers; ++c) {
    threads.emplace_back([&, c] {
      while (taken.load() < producers * each) {
        if (const job* const j = q.pop()) {
          seen[static_cast<std::size_t>(c)].push_back(number_of(j));
          taken.fetch_add(1);
        } else {
          std::this_thread::yield();
        }
      }
    });
  }
  for (std::thread& t : threads) {
    t.join();
  }
  std::vector<int> all;
  for (const auto& by_consumer : seen) {
    std::vector<int> last(producers, -1);
    for (const int n : by_consumer) {
      int& before = last[static_cast<std::size_t>(n / each)];
      EXPECT_LT(before, n);  // a producer's jobs come in its order
      before = n;
      all.push_back(n);
    }
  }
  std::sort(all.begin(), all.end());
  ASSERT_EQ(all.size(), static_cast<std::size_t>(producers * each));
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

TEST(Injector, NeverLooksEmptyWhileAJobIsInItAlsoOnItsWayFromTheInboxToTheFront) {
  // In each round the last job stays in while those before it are popped, and the injector must not look empty. (Looks
  // may mix moments, so it is the presence of one and the same job that counts.)
  constexpr int rounds = 20'000;
  auto jobs = make_jobs(3);
  injector q;
  std::atomic<int> phase{0};  // odd: the last job is in
  std::atomic<int> looked_empty{0};
  std::thread looker([&] {
    for (int before = 0; before < 2 * rounds;) {
      before = phase.load();
      const bool empty = q.empty();
      if (before % 2 == 1 && empty && phase.load() == before) {
        looked_empty.fetch_add(1);
      }
    }
  });
  for (int round = 0; round < rounds; ++round) {
    for (numbered& j : jobs) {
      q.push(j);
    }
    phase.fetch_add(1);
    EXPECT_EQ(number_of(q.pop()), 0);
    EXPECT_EQ(number_of(q.pop()), 1);
    phase.fetch_add(1);
    EXPECT_EQ(number_of(q.pop()), 2);
  }
  looker.join();
  EXPECT_EQ(looked_empty.load(), 0);
}

// ---- mailbox ------------------------------------------------------------------------------------

TEST(Mailbox, GivesItsOccupantTheOldestFirst) {
  auto jobs = make_jobs(4);
  mailbox box;
  EXPECT_TRUE(box.empty());
  box.push(jobs[0]);
  box.push(jobs[1]);
  EXPECT_FALSE(box.empty());
  EXPECT_EQ(number_of(box.pop()), 0);
  box.push(jobs[2]);
  box.push(jobs[3]);
  for (int i = 1; i < 4; ++i) {
    EXPECT_EQ(number_of(box.pop()), i);
  }
  EXPECT_EQ(box.pop(), nullptr);
}

TEST(Mailbox, ManyPostersLoseNothing) {
  constexpr int posters = 3, each = 10'000;
  auto jobs = make_jobs(posters * each);
  mailbox box;
  std::vector<std::thread> threads;
  for (int p = 0; p < posters; ++p) {
    threads.emplace_back([&, p] {
      for (int i = 0; i < each; ++i) {
        box.push(jobs[static_cast<std::size_t>(p * each + i)]);
      }
    });
  }
  std::vector<int> last(posters, -1);
  for (int taken = 0; taken < posters * each;) {
    if (const job* const j = box.pop()) {
      int& before = last[static_cast<std::size_t>(number_of(j) / each)];
      ASSERT_LT(before, number_of(j));
      before = number_of(j);
      ++taken;
    }
  }
  for (std::thread& t : threads) {
    t.join();
  }
  EXPECT_TRUE(box.empty());
}

}  // namespace
