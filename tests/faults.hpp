// Makes an allocation or the start of a thread fail, the first, the second and so on. Linking this in replaces operator
// new.
#pragma once

#include "support.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <new>
#include <system_error>

namespace dozer_test {

enum class fault : std::uint8_t {
  allocation,   // the k-th operator new of the process
  thread,       // the k-th start of a thread
  all_threads,  // that one and all that follow
};

/// Of operator new, in all threads.
[[nodiscard]] std::int64_t live_allocations();
[[nodiscard]] unsigned threads_of_the_process();

/// One round of a script, in which the k-th of something fails; if k is 0, nothing does.
class trial {
 public:
  trial(fault what, std::uint64_t k) : what_(what), k_(k) {}

  /// Runs f while things may fail. True: it ran to its end. False: an exception left it, and a clear one. Once.
  template <class F>
  bool run(F&& f) {
    arm();
    bool through = false;
    try {
      f();
      through = true;
    } catch (const std::bad_alloc&) {
      disarm();
      EXPECT_TRUE(failed_ && what_ == fault::allocation) << "an allocation failed that was not to";
    } catch (const std::system_error& e) {
      disarm();
      EXPECT_TRUE(failed_ && what_ != fault::allocation) << e.what();
      EXPECT_EQ(e.code(), std::errc::resource_unavailable_try_again) << e.what();
      EXPECT_EQ(std::string(e.what()).find("dozer: "), 0u) << e.what();
    }
    disarm();
    return through;
  }

  /// Ends the time in which things may fail; run does so by itself.
  void disarm();
  /// After that.
  [[nodiscard]] bool has_failed() const { return failed_; }
  [[nodiscard]] fault what() const { return what_; }

 private:
  void arm();

  fault what_;
  std::uint64_t k_;
  bool armed_ = false;
  bool failed_ = false;
};

/// The thread that reports deadlocks stays for ever once there is one.
void start_the_reporter();

/// Runs round(trial&) for every k until so few things happen in it that none fails. Nothing may be left behind by any
/// of them. The first round, in which nothing fails, makes what the library keeps for ever.
template <class Round>
void fail_each(fault what, Round round) {
  start_the_reporter();
  {
    trial first(what, 0);
    round(first);
  }
  // What is detached goes a little later, so the least that was ever there counts.
  unsigned threads = threads_of_the_process();
  std::int64_t memory = live_allocations();
  for (std::uint64_t k = 1; !::testing::Test::HasFailure(); ++k) {
    trial now(what, k);
    round(now);
    const bool gone = ::testing::Test::HasFailure() ||  // which has memory of its own
                      eventually([&] { return threads_of_the_process() <= threads && live_allocations() <= memory; });
    EXPECT_TRUE(gone) << threads << " threads and " << memory << " allocations before, " << threads_of_the_process()
                      << " and " << live_allocations() << " after";
    if (::testing::Test::HasFailure()) {
      std::printf("with the failure of number %llu\n", static_cast<unsigned long long>(k));
    }
    threads = std::min(threads, threads_of_the_process());
    memory = std::min(memory, live_allocations());
    if (!now.has_failed()) {
      std::printf("%llu failures\n", static_cast<unsigned long long>(k - 1));
      return;
    }
  }
}

/// For what comes if nothing has failed: waits for it, but not long.
template <class Come>
bool comes(Come&& come) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
  while (!come() && std::chrono::steady_clock::now() < end) {
    std::this_thread::yield();
  }
  return come();
}

/// The pool works.
inline void expect_usable(dozer::thread_pool& pool) {
  EXPECT_EQ(pool.install([] { return fib(8); }), 21);
  EXPECT_EQ(pool.submit([] { return fib(8); }).get(), 21);
}

}  // namespace dozer_test
