// Counts and states, gathered for the user.
#include <dozer/detail/pool_core.hpp>
#include <dozer/stats.hpp>

namespace dozer::inline DOZER_PLATFORM {

std::string_view to_string(activity value) noexcept {
  static constexpr std::string_view names[] = {"vacant", "active", "idle", "sleepy", "asleep", "blocked"};
  return names[static_cast<std::size_t>(value)];
}

std::string_view to_string(wait_reason value) noexcept {
  static constexpr std::string_view names[] = {"none",      "work",      "join",     "scope",  "future",
                                               "broadcast", "install",   "pool end", "slot",   "mutex",
                                               "condition", "semaphore", "event",    "outside"};
  return names[static_cast<std::size_t>(value)];
}

std::string_view awaited(wait_reason value) noexcept {
  static constexpr std::string_view names[] = {"nothing",
                                               "work",
                                               "the other half of a join",
                                               "the jobs of a scope",
                                               "a future",
                                               "a broadcast",
                                               "a call into another pool",
                                               "the end of a pool",
                                               "something declared as",
                                               "the mutex",
                                               "the condition variable",
                                               "the semaphore",
                                               "the event",
                                               "the world outside"};
  return names[static_cast<std::size_t>(value)];
}

bool detail::is_of_the_standard_library(const char* file) noexcept {
  // Wherever the compiler is installed, its headers lie in .../include/c++/<version>/ or .../c++/v1/.
  const std::string_view path = file != nullptr ? file : "";
  return path.find("/include/c++/") != path.npos || path.find("/c++/v1/") != path.npos;
}

std::string detail::awaited_text(wait_reason why, std::string_view name) {
  const auto text = std::string(awaited(why));
  if (!name.empty()) {
    return text + (why == wait_reason::outside ? ": \"" : " \"") + std::string(name) + "\"";
  }
  return why == wait_reason::slot ? "something" : text;
}

std::string_view to_string(wake_cause value) noexcept {
  static constexpr std::string_view names[wake_causes] = {"job forked", "job detached", "job injected", "search left",
                                                          "latch set",  "mail",         "guest left"};
  return names[static_cast<std::size_t>(value)];
}

member_stats& member_stats::operator+=(const member_stats& other) noexcept {
  jobs += other.jobs;
  steals += other.steals;
  steals_lost += other.steals_lost;
  injected += other.injected;
  parks += other.parks;
  wakes_fruitless += other.wakes_fruitless;
  sleeps_cancelled += other.sleeps_cancelled;
  heavy_fences += other.heavy_fences;
  for (std::size_t i = 0; i < wake_causes; ++i) {
    wakes_sent[i] += other.wakes_sent[i];
  }
  return *this;
}

namespace detail {

member_stats tallies::read() const noexcept {
  member_stats out;
  out.jobs = jobs.get();
  out.steals = steals.get();
  out.steals_lost = steals_lost.get();
  out.injected = injected.get();
  out.parks = parks.get();
  out.wakes_fruitless = wakes_fruitless.get();
  out.sleeps_cancelled = sleeps_cancelled.get();
  out.heavy_fences = heavy_fences.get();
  for (std::size_t i = 0; i < wake_causes; ++i) {
    out.wakes_sent[i] = wakes_sent[i].get();
  }
  return out;
}

pool_stats pool_core::stats() const {
  pool_stats out;
  const counters now = sleep.now();
  out.asleep = now.asleep();
  out.inactive = now.inactive();
  const std::uint32_t bound = seats.bound();
  for (std::uint32_t i = 0; i < bound; ++i) {
    const seat& s = seats[i];
    member_snapshot member;
    member.index = i;
    member.state = s.state.get();
    member.why = s.why.get();
    member.job_name = s.doing.job_name();
    member.guest = s.guest_inside.get();
    member.pinned_to = s.pinned_to.get();
    member.counts = s.counts.read();
    out.total += member.counts;
    out.members.push_back(member);
  }
  out.outside = sleep.outside_stats();
  out.total += out.outside;
  return out;
}

}  // namespace detail
}  // namespace dozer::inline DOZER_PLATFORM
