// What the tests of algorithms share: places to call them from, and elements that are hard to handle.
#pragma once

#include "../support.hpp"

#include <rapidcheck.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

namespace dozer_test {

/// Calls f wherever a user might: from outside, inside pools of 1, 2 and 8 threads, nested, and in an isolation.
void everywhere(const std::function<void()>& f);

/// How often `holds()` was false of all the times that everywhere calls it.
int failures_everywhere(const std::function<bool()>& holds);

/// Runs call(meet) in a pool of 2. meet() waits until it is called twice: by both threads.
void expect_two_at_once(const std::function<void(const std::function<void()>& meet)>& call);

/// rc::check, compiled once for all properties.
bool check(const std::function<void()>& property);

/// The same with fewer runs, for properties of which each run takes long.
bool check_slow(const std::function<void()>& property);

/// A size between nothing and some thousands: often 0, 1, 2, around 100 (where loops change their mind), or odd.
std::size_t any_size();

/// Options with any grain; mostly none.
dozer::loop_options any_options();

/// So many numbers from 0 to before `below`, from a seed that rapidcheck chooses.
std::vector<int> any_numbers(std::size_t size, int below);

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
