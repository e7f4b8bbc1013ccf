// For tests of deadlocks: keeps the reports of a pool.
#pragma once

#include <dozer/dozer.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "support.hpp"

namespace dozer_test {

class reports {
 public:
  dozer::pool_options options(unsigned threads, dozer::deadlock_action answer = dozer::deadlock_action::throw_error) {
    dozer::pool_options o;
    o.threads = threads;
    o.on_deadlock = [this, answer](const dozer::deadlock_report& r) {
      keep(r);
      return answer;
    };
    return o;
  }
  void keep(const dozer::deadlock_report& r) {
    const std::lock_guard hold(lock_);
    all_.push_back(r);
  }
  [[nodiscard]] std::size_t count() const {
    const std::lock_guard hold(lock_);
    return all_.size();
  }
  [[nodiscard]] dozer::deadlock_report last() const {
    const std::lock_guard hold(lock_);
    return all_.empty() ? dozer::deadlock_report{} : all_.back();
  }
  [[nodiscard]] dozer::deadlock_report only() const {
    const std::lock_guard hold(lock_);
    EXPECT_EQ(all_.size(), 1u);
    return all_.empty() ? dozer::deadlock_report{} : all_.front();
  }

 private:
  mutable std::mutex lock_;
  std::vector<dozer::deadlock_report> all_;
};

/// Of a pool of two: both workers are in a wait that they have declared.
[[nodiscard]] inline bool both_blocked(const dozer::thread_pool& pool) {
  return eventually([&] {
    const dozer::pool_stats now = pool.stats();
    return now.members[0].state == dozer::activity::blocked && now.members[1].state == dozer::activity::blocked;
  });
}

inline bool says(const std::string& text, const char* what) { return text.find(what) != std::string::npos; }

}  // namespace dozer_test
