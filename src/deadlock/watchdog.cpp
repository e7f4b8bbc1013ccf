#include <dozer/detail/watchdog.hpp>

#include "report.hpp"

#include <dozer/detail/pool_core.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <optional>
#include <string_view>

namespace dozer::inline DOZER_PLATFORM::detail {

namespace {

std::optional<double> parse_seconds(std::string_view text) noexcept {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value > 0) || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

/// DOZER_STALL in nanoseconds; 0: it is not set, or makes no sense.
std::uint64_t stall_by_environment() noexcept {
  const char* const text = std::getenv("DOZER_STALL");
  if (text == nullptr || *text == '\0') {
    return 0;
  }
  const std::optional<double> seconds = parse_seconds(text);
  if (!seconds) {
    static constinit atomic<bool> warned{false};
    if (!warned.exchange(true, relaxed)) {  // relaxed: it only has to happen once
      std::fprintf(stderr, "dozer: DOZER_STALL=%s is not a positive number of seconds, nothing is watched for it\n",
                   text);
    }
    return 0;
  }
  constexpr double shortest = 1e-3, longest = 1e9;  // the watchdog's pause; thirty years, and no overflow anywhere
  return static_cast<std::uint64_t>(std::clamp(*seconds, shortest, longest) * 1e9);
}

}  // namespace

int watchdog::start() noexcept {
  const std::uint64_t by_environment = stall_by_environment();
  const bool asked_for = pool_.options().stall_after.count() > 0;
  waits_too_ = by_environment != 0;
  limit_ = asked_for ? static_cast<std::uint64_t>(pool_.options().stall_after.count()) : by_environment;
  if (limit_ == 0) {
    return 0;
  }
  pool_.keep_in_memory();
  const int error = thread_.start(&main, this, 0);
  started_ = error == 0;
  if (!started_) {
    pool_.let_go_of_memory();
    if (!asked_for) {
      std::fprintf(stderr, "dozer: no thread could be started to watch the pool \"%s\" for DOZER_STALL\n",
                   pool_.options().name.c_str());
      return 0;
    }
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

/// Waits so long. True: the pool has ended meanwhile.
bool watchdog::is_over_within(std::uint64_t pause) noexcept {
  for (const std::uint64_t end = now_ns() + pause; now_ns() < end;) {
    if (over_.load(acquire) != 0) {  // pairs: watchdog.over (stop)
      return true;
    }
    park(over_, 0, channel::first, end);
  }
  return false;
}

void watchdog::watch() noexcept {
  constexpr std::uint64_t looks = 32;  // so many in the time, since a busy owner's head may be where it was by chance
  const std::uint64_t pause = std::max<std::uint64_t>(limit_ / looks, 1'000'000);
  std::uint64_t before = progress();
  std::uint64_t since = now_ns();
  bool reported = false;
  while (!is_over_within(pause)) {
    const std::uint64_t now = progress();
    if (now != before || !something_is_left()) {
      before = now;
      since = now_ns();
      reported = false;
    } else if (!reported && now_ns() - since >= limit_ && stands_still()) {
      reported = true;
      report();
    }
  }
}

namespace {

template <class F>
bool any_begun(const pool_core& pool, F&& is_so) {
  for (std::uint32_t i = 0; i < pool.seats.bound(); ++i) {
    if (pool.seats[i].doing.depth() != 0 && is_so(pool.seats[i])) {
      return true;
    }
  }
  return false;
}

/// For a job, or for the end of a pool.
bool a_thread_of_no_pool_waits(const domain& in) {
  bool found = false;
  in.outsiders.for_each([&](std::uint64_t, const doing_now& wait) { found |= wait.why <= wait_reason::pool_end; });
  return found;
}

}  // namespace

/// Changes whenever a job begins or ends, is forked or taken back, or waits anew.
std::uint64_t watchdog::progress() const noexcept {
  std::uint64_t hash = 0;
  const auto mix = [&](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3u; };
  for (std::uint32_t i = 0; i < pool_.seats.bound(); ++i) {
    seat& s = pool_.seats[i];
    mix(s.counts.jobs.get());
    mix(s.doing.depth());
    mix(s.doing.since());
    mix(s.others().position());
    mix(s.others().count());
  }
  return hash;
}

bool watchdog::something_is_left() const noexcept {
  return pool_.sleep.jobs_in_sight() ||
         ((waits_too_ || end_awaited_.get()) && any_begun(pool_, [](const seat&) { return true; }));
}

/// A job that computes, and that no thread waits for, does not.
bool watchdog::stands_still() const noexcept try {
  return pool_.sleep.jobs_in_sight() || end_awaited_.get() || a_thread_of_no_pool_waits(pool_.home) ||
         any_begun(pool_, [](const seat& s) {
           return s.state.get() != activity::active || !system_call_of(system_number_of(s.thread.get())).empty();
         });
} catch (const std::bad_alloc&) {
  return true;  // a report needs memory as well, but has a way without
}

void watchdog::report() noexcept {
  std::optional<deadlock_report> room;
  const deadlock_report& made = make_report_in(room, pool_.home, deadlock_report::trouble::stalled,
                                               {.seconds = static_cast<double>(limit_) * 1e-9,
                                                .ending = end_awaited_.get() ? pool_.options().name.c_str() : nullptr});
  if (pool_.options().on_stall) {
    const handler_call here(pool_.in_on_stall);
    pool_.options().on_stall(made);
  } else {
    print(made);
  }
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
