// The seam: what it offers, and what it refuses.
#include <dozer/detail/platform.hpp>
#include <dozer/detail/short_lock.hpp>

#include "support.hpp"

#include <cerrno>
#include <chrono>
#include <concepts>
#include <mutex>
#include <thread>
#include <vector>

namespace {

using namespace dozer::detail;

template <class A>
concept loads_without_an_order = requires(A a) {
  a.load();
};
template <class A>
concept stores_without_an_order = requires(A a) {
  a.store(1);
};
template <class A>
concept has_increment = requires(A a) {
  ++a;
}
|| requires(A a) { a++; }
|| requires(A a) { a += 1; };
template <class A>
concept is_assigned = requires(A a) {
  a = 1;
};

TEST(Seam, AtomicsHaveNoDefaultOrderNoOperatorsAndNoConversion) {
  static_assert(!loads_without_an_order<atomic<int>>);
  static_assert(!stores_without_an_order<atomic<int>>);
  static_assert(!has_increment<atomic<int>>);
  static_assert(!is_assigned<atomic<int>>);
  static_assert(!std::convertible_to<atomic<int>, int>);
  static_assert(!std::convertible_to<int, atomic<int>>);
  static_assert(!std::copy_constructible<atomic<int>>);
}

TEST(Seam, ParkReturnsAtOnceIfTheWordIsNotAsExpected) {
  atomic<std::uint32_t> word{1};
  park(word, 0, channel::first);
  park(word, 2, channel::second);
}

TEST(Seam, ParkEndsAtItsDeadlineAndNotBefore) {
  atomic<std::uint32_t> word{0};
  const std::uint64_t deadline = now_ns() + 20'000'000;
  while (now_ns() < deadline) {
    park(word, 0, channel::first, deadline);  // may also return for no reason
  }
  EXPECT_GE(now_ns(), deadline);
}

TEST(Seam, UnparkWakesWhoParkedOnThatChannel) {
  for (const channel on : {channel::first, channel::second}) {
    atomic<std::uint32_t> word{0};
    std::thread sleeper([&] {
      while (word.load(acquire) == 0) {
        park(word, 0, on);
      }
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // likely asleep by now; right either way
    word.store(1, release);
    unpark_one(&word, on);
    sleeper.join();
  }
}

TEST(Seam, UnparkAllWakesEverybody) {
  atomic<std::uint32_t> word{0};
  std::vector<std::thread> sleepers;
  for (int i = 0; i < 5; ++i) {
    sleepers.emplace_back([&] {
      while (word.load(acquire) == 0) {
        park(word, 0, channel::first);
      }
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  word.store(1, release);
  unpark_all(&word, channel::first);
  for (std::thread& t : sleepers) {
    t.join();
  }
}

TEST(Seam, ProcessFenceRunsWhereOfferedAndCanBeDeniedByATest) {
  if (fence_process_available()) {
    fence_process();
  }
  hooks.deny_process_fence.store(true, relaxed);
  EXPECT_FALSE(fence_process_available());
  hooks.deny_process_fence.store(false, relaxed);
}

TEST(Seam, SequentiallyConsistentFenceForbidsTheStoreBufferOutcome) {
  // The classic litmus test. Without the fence x86 shows the forbidden outcome within some thousand rounds.
  struct alignas(2 * cache_line) cell {
    atomic<int> value{0};
  };
  constexpr std::size_t rounds = 20'000;
  std::vector<cell> x(rounds), y(rounds);
  std::vector<int> seen_by_a(rounds, 1), seen_by_b(rounds, 1);
  std::vector<std::atomic<int>> ready(rounds);
  // Where the two seldom run at the same time a round takes milliseconds: then fewer must do.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  std::atomic<std::size_t> enough{rounds};
  const auto side = [&](std::vector<cell>& mine, std::vector<cell>& theirs, std::vector<int>& seen) {
    for (std::size_t i = 0; i < rounds; ++i) {
      if (&mine == &x && i >= 500 && std::chrono::steady_clock::now() > end) {
        enough = i;
      }
      ready[i].fetch_add(1);
      for (int spins = 0; ready[i].load() != 2; ++spins) {
        if (spins > 1000) {
          std::this_thread::yield();  // perhaps there is one core for both
        }
      }
      if (i == enough) {
        return;
      }
      mine[i].value.store(1, relaxed);
      fence_seq_cst();
      seen[i] = theirs[i].value.load(relaxed);
    }
  };
  std::thread a([&] { side(x, y, seen_by_a); });
  side(y, x, seen_by_b);
  a.join();
  int forbidden = 0;
  for (std::size_t i = 0; i < rounds; ++i) {
    forbidden += seen_by_a[i] == 0 && seen_by_b[i] == 0;
  }
  EXPECT_EQ(forbidden, 0);
}

TEST(Seam, RandomNumbersStayBelowTheirBoundAndReachIt) {
  dozer::detail::random chance(7);
  std::vector<int> hits(5);
  for (int i = 0; i < 1000; ++i) {
    const std::uint32_t n = chance.below(5);
    ASSERT_LT(n, 5u);
    ++hits[n];
  }
  for (const int h : hits) {
    EXPECT_GT(h, 100);
  }
  EXPECT_EQ(chance.below(1), 0u);
}

TEST(Seam, AStartedThreadRunsAndADeniedOneReportsEagain) {
  dozer::detail::thread t;
  atomic<int> ran{0};
  const auto body = [](void* p) noexcept { static_cast<atomic<int>*>(p)->store(1, release); };
  ASSERT_EQ(t.start(+body, &ran, 0), 0);
  t.join();
  EXPECT_EQ(ran.load(acquire), 1);
  hooks.threads_until_failure.store(0, relaxed);
  EXPECT_EQ(t.start(+body, &ran, 0), EAGAIN);
  hooks.threads_until_failure.store(-1, relaxed);
}

TEST(ShortLock, ExcludesOthers) {
  short_lock lock;
  long count = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 20'000; ++k) {
        const std::lock_guard hold(lock);
        ++count;
      }
    });
  }
  for (std::thread& t : threads) {
    t.join();
  }
  EXPECT_EQ(count, 80'000);
}

}  // namespace
