// The least that a hand-over to a sleeping thread can cost: one thread, one word, one futex.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

#include "now_and_then.hpp"

namespace bench {

/// Takes a job when the one before has run.
class futex_thread {
 public:
  ~futex_thread() {
    submit(nullptr);
    thread_.join();
  }
  void submit(std::function<void()> job) {
    job_ = std::move(job);
    there_.ring();
  }

 private:
  void live() {
    for (;;) {
      there_.wait();
      if (job_ == nullptr) {
        return;
      }
      job_();
    }
  }

  std::function<void()> job_;
  bell there_;
  std::thread thread_{[this] { live(); }};
};

}  // namespace bench
