// A pool as one writes it by hand: a queue, a mutex and a condition variable.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace bench {

class condvar_pool {
 public:
  explicit condvar_pool(unsigned threads) {
    for (unsigned i = 0; i < threads; ++i) {
      threads_.emplace_back([this] { live(); });
    }
  }
  ~condvar_pool() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    for (std::thread& t : threads_) {
      t.join();
    }
  }

  void submit(std::function<void()> job) {
    {
      const std::lock_guard lock(mutex_);
      jobs_.push_back(std::move(job));
    }
    changed_.notify_one();
  }

  /// body(i) for each i below count; returns when all have ended.
  template <class Body>
  void for_each(int count, Body&& body) {
    std::mutex mutex;
    std::condition_variable all_done;
    int left = count;
    for (int i = 0; i < count; ++i) {
      submit([&, i] {
        body(i);
        const std::lock_guard lock(mutex);
        if (--left == 0) {
          all_done.notify_one();
        }
      });
    }
    std::unique_lock lock(mutex);
    all_done.wait(lock, [&] { return left == 0; });
  }

 private:
  void live() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return ends_ || !jobs_.empty(); });
      if (jobs_.empty()) {
        return;
      }
      const std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace bench
