#include <dozer/detail/watchdog.hpp>

#include "report.hpp"

#include <dozer/detail/pool_core.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace dozer::inline DOZER_PLATFORM::detail {

int watchdog::start() noexcept {
  if (pool_.options().stall_after.count() <= 0) {
    return 0;
  }
  pool_.keep_in_memory();
  const int error = thread_.start(&main, this, 0);
  started_ = error == 0;
  if (!started_) {
    pool_.let_go_of_memory();
  }
  return error;
}

void watchdog::stop() noexcept {
  over_.store(1, release);  // pairs: watchdog.over (watch)
  unpark_one(&over_, channel::first);
}

void watchdog::finish(bool wait) noexcept {
  if (started_) {
    wait ? thread_.join() : thread_.detach();
  }
}

void watchdog::main(void* self) noexcept {
  auto& me = *static_cast<watchdog*>(self);
  set_thread_name("dozer-watchdog");
  me.watch();
  me.pool_.let_go_of_memory();
}

void watchdog::watch() noexcept {
  constexpr std::uint64_t looks = 32;  // so many in the time, since a busy owner's head may be where it was by chance
  const auto limit = static_cast<std::uint64_t>(pool_.options().stall_after.count());
  const std::uint64_t pause = std::max<std::uint64_t>(limit / looks, 1'000'000);
  std::uint64_t before = progress();
  std::uint64_t since = now_ns();
  bool reported = false;
  for (;;) {
    for (const std::uint64_t next = now_ns() + pause; now_ns() < next;) {
      if (over_.load(acquire) != 0) {  // pairs: watchdog.over (stop)
        return;
      }
      park(over_, 0, channel::first, next);
    }
    const std::uint64_t now = progress();
    if (now != before || !pool_.sleep.jobs_in_sight()) {
      before = now;
      since = now_ns();
      reported = false;
    } else if (!reported && now_ns() - since >= limit) {
      reported = true;
      report();
    }
  }
}

/// Changes whenever a job begins or ends, is forked or taken back.
std::uint64_t watchdog::progress() const noexcept {
  std::uint64_t hash = 0;
  const auto mix = [&](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3u; };
  for (std::uint32_t i = 0; i < pool_.seats.bound(); ++i) {
    seat& s = pool_.seats[i];
    mix(s.counts.jobs.get());
    mix(s.doing.depth());
    mix(s.others().position());
    mix(s.others().count());
  }
  return hash;
}

void watchdog::report() noexcept {
  const deadlock_report made = make_report(pool_.home, deadlock_report::trouble::stalled,
                                           std::chrono::duration<double>(pool_.options().stall_after).count());
  if (pool_.options().on_stall) {
    const handler_call here(pool_.in_on_stall);
    pool_.options().on_stall(made);
  } else {
    std::fprintf(stderr, "dozer: %s", made.to_string().c_str());
  }
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
