// What the tests of algorithms share: places to call them from, and elements that are hard to handle.
#pragma once

#include "../support.hpp"

#include <rapidcheck.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

namespace dozer_test {

/// Calls f wherever a user might: from outside, inside pools of 1, 2 and 8 threads, nested, and in an isolation.
template <class F>
void everywhere(const F& f) {
  static std::array<dozer::thread_pool, 3> pools{dozer::thread_pool(1), dozer::thread_pool(2), dozer::thread_pool(8)};
  f();
  for (dozer::thread_pool& pool : pools) {
    pool.install([&] {
      f();
      dozer::join(f, f);
      dozer::parallel_for(0, 3, [&](int) { f(); });
      dozer::isolate(f);
    });
  }
}

/// A size between nothing and some thousands: often 0, 1, 2, around 100 (where loops change their mind), or odd.
inline std::size_t any_size() {
  return *rc::gen::oneOf(rc::gen::element<std::size_t>(0, 1, 2, 3, 16, 17, 99, 100, 101, 255, 256, 257),
                         rc::gen::inRange<std::size_t>(0, 300), rc::gen::inRange<std::size_t>(0, 20'000));
}

/// Options with any grain; mostly none.
inline dozer::loop_options any_options() {
  return {.grain = *rc::gen::element<std::size_t>(0, 0, 0, 1, 2, 7, 64, 1000)};
}

/// So many numbers from 0 to before `below`, from a seed that rapidcheck chooses.
inline std::vector<int> any_numbers(std::size_t size, int below) {
  std::minstd_rand random(*rc::gen::inRange(1u, 1u << 30));
  std::vector<int> numbers(size);
  for (int& n : numbers) {
    n = static_cast<int>(random() % static_cast<unsigned>(below));
  }
  return numbers;
}

/// How often `holds()` was false of all the times that everywhere calls it.
template <class F>
int failures_everywhere(const F& holds) {
  std::atomic<int> failures{0};
  everywhere([&] { failures += holds() ? 0 : 1; });
  return failures.load();
}

/// Runs call(meet) in a pool of 2. meet() waits until it is called twice: by both threads.
template <class F>
void expect_two_at_once(const F& call) {
  dozer::thread_pool pool({.threads = 2});
  rendezvous two(2);
  pool.install([&] {
    call([&] {
      two.arrive();
      EXPECT_TRUE(eventually([&] { return two.all_here(); }));
    });
  });
}

/// An int that cannot be copied.
struct move_only {
  int value = 0;
  move_only() = default;
  explicit move_only(int v) : value(v) {}
  move_only(move_only&& other) noexcept : value(std::exchange(other.value, -1)) {}
  move_only& operator=(move_only&& other) noexcept {
    value = std::exchange(other.value, -1);
    return *this;
  }
  friend auto operator<=>(const move_only&, const move_only&) = default;
};

/// An int with a cache line of its own.
struct alignas(64) over_aligned {
  int value = 0;
  friend auto operator<=>(const over_aligned&, const over_aligned&) = default;
};

/// An int that knows how many of its kind live, and how many copies and moves there were.
struct counted {
  int value = 0;
  static inline std::atomic<long> alive{0}, copies{0}, moves{0};

  counted() { ++alive; }
  explicit counted(int v) : value(v) { ++alive; }
  counted(const counted& other) : value(other.value) { ++alive, ++copies; }
  counted(counted&& other) noexcept : value(std::exchange(other.value, -1)) { ++alive, ++moves; }
  counted& operator=(const counted& other) {
    value = other.value;
    ++copies;
    return *this;
  }
  counted& operator=(counted&& other) noexcept {
    value = std::exchange(other.value, -1);
    ++moves;
    return *this;
  }
  ~counted() { --alive; }
  friend bool operator==(const counted& a, const counted& b) { return a.value == b.value; }
  friend auto operator<=>(const counted& a, const counted& b) { return a.value <=> b.value; }
};

/// Throws at its k-th call.
class throws_at {
 public:
  explicit throws_at(long k) : left_(k) {}
  void operator()() const {
    if (left_.fetch_sub(1) == 1) {
      throw std::runtime_error("the k-th call");
    }
  }

 private:
  mutable std::atomic<long> left_;
};

}  // namespace dozer_test
