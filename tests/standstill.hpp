// A clock for guards against hangs, which a busy machine cannot trip.
//
// Real time proves nothing about a program that shares the machine: it may not have been let run. So this clock goes on
// only while a process stands still, that is while none of its threads runs, waits for a processor, or waits for a
// disk. Then the process had all the processors it could want, and what it waits for did not come. A process that runs
// without end does not stand still; against that there are limits on processor time.
#pragma once

#include <dirent.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace dozer_test {

class standstill_clock {
 public:
  using clock = std::chrono::steady_clock;

  /// Of these processes. A thread that only watches is left out: `except`.
  explicit standstill_clock(std::vector<pid_t> processes = {getpid()}, pid_t except = 0) : except_(except) {
    look(processes);
  }

  /// To be called often: of the time since the last call no more than `at_most` counts. More means that the caller
  /// itself was kept from running.
  void look(const std::vector<pid_t>& processes, std::chrono::duration<double> at_most = std::chrono::seconds(1)) {
    const clock::time_point now = clock::now();
    double moved = 0;
    bool would_go_on = false, told = true;
    std::map<pid_t, double> seen;
    for (const pid_t process : processes) {
      for (const pid_t thread : numbers_in("/proc/" + std::to_string(process) + "/task")) {
        if (thread == except_) {
          continue;
        }
        const std::string folder = "/proc/" + std::to_string(process) + "/task/" + std::to_string(thread);
        const std::string times = text_of(folder + "/schedstat"), state = text_of(folder + "/stat");
        if (state.empty()) {
          continue;  // it has ended meanwhile
        }
        // Of one that still waits for a processor the time is not told yet.
        would_go_on |= state.find(") R ") != std::string::npos || state.find(") D ") != std::string::npos;
        unsigned long long ran = 0, waited = 0;
        told &= std::sscanf(times.c_str(), "%llu %llu", &ran, &waited) == 2;
        const double all = 1e-9 * static_cast<double>(ran + waited);
        const auto before = moving_.find(thread);
        moved += all - (before != moving_.end() ? before->second : 0);
        seen[thread] = all;
      }
    }
    const double passed = std::min(std::chrono::duration<double>(now - last_), at_most).count();
    if (!would_go_on) {
      // A kernel may not tell who waited for a processor: then be patient.
      still_ += told ? std::max(0.0, passed - moved) : passed / 10;
    }
    moving_ = std::move(seen);
    last_ = now;
  }

  [[nodiscard]] double seconds() const { return still_; }

  /// The numbers among the names in a folder of /proc.
  [[nodiscard]] static std::vector<pid_t> numbers_in(const std::string& folder) {
    std::vector<pid_t> found;
    if (DIR* const open = opendir(folder.c_str())) {
      while (const dirent* const entry = readdir(open)) {
        if (const int number = std::atoi(entry->d_name)) {
          found.push_back(number);
        }
      }
      closedir(open);
    }
    return found;
  }

  /// Of a file in /proc; empty if it is gone.
  [[nodiscard]] static std::string text_of(const std::string& path) {
    std::string text;
    if (std::FILE* const file = std::fopen(path.c_str(), "r")) {
      char some[4096];
      for (std::size_t n; (n = std::fread(some, 1, sizeof some, file)) != 0;) {
        text.append(some, n);
      }
      std::fclose(file);
    }
    return text;
  }

 private:
  pid_t except_;
  std::map<pid_t, double> moving_;  // of each thread, how long it has run or waited for a processor
  clock::time_point last_ = clock::now();
  double still_ = 0;
};

/// For a thread that waits for others of its process: how long to go on. Real time does not count, see above.
class patience {
 public:
  /// Until all others have stood still for that time, or the process has run for so much processor time.
  explicit patience(std::chrono::duration<double> still = std::chrono::seconds(60),
                    std::chrono::duration<double> running = std::chrono::seconds(120))
      : most_still_(still), most_running_(running) {}

  /// True when to give up.
  [[nodiscard]] bool is_over() {
    const auto now = standstill_clock::clock::now();
    if (now < next_look_) {
      return false;
    }
    next_look_ = now + std::chrono::milliseconds(100);
    if (!others_) {
      others_.emplace(std::vector{getpid()}, gettid());
      ran_before_ = processor_time();
      return false;
    }
    others_->look({getpid()}, std::chrono::milliseconds(200));
    return others_->seconds() > most_still_.count() || processor_time() - ran_before_ > most_running_.count();
  }

 private:
  [[nodiscard]] static double processor_time() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }

  std::chrono::duration<double> most_still_, most_running_;
  std::optional<standstill_clock> others_;  // made late: mostly what is waited for is there at once
  double ran_before_ = 0;
  standstill_clock::clock::time_point next_look_ = standstill_clock::clock::now() + std::chrono::milliseconds(100);
};

/// Whether two parts of a call run at the same time. Each waits until two do, or until all other threads have stood
/// still for ten milliseconds. Then no other part is on the way: a thread that was called for it, and waits for a
/// processor, does not stand still.
class two_at_once {
 public:
  void wait() {
    inside_.fetch_add(1);
    standstill_clock others({getpid()}, gettid());
    while (!met_ && others.seconds() < 0.01) {
      met_ = met_ || inside_ >= 2;
      std::this_thread::sleep_for(std::chrono::microseconds(500));
      others.look({getpid()}, std::chrono::milliseconds(2));
    }
    inside_.fetch_sub(1);
  }
  [[nodiscard]] bool met() const { return met_; }

 private:
  std::atomic<int> inside_{0};
  std::atomic<bool> met_{false};
};

}  // namespace dozer_test
