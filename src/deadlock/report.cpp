// Who does what, who waits for whom, and in which circle: gathered from what the members have noted.
#include "report.hpp"

#include "without_memory.hpp"

#include <dozer/detail/abort.hpp>
#include <dozer/detail/holder.hpp>
#include <dozer/detail/pool_core.hpp>

#include <algorithm>
#include <new>
#include <optional>
#include <utility>

namespace dozer::inline DOZER_PLATFORM::detail {

namespace {

/// A member as it is in the report, and as it was noted.
struct noted {
  std::uint64_t thread = 0;
  std::vector<doing_now> stack;
  deadlock_report::worker shown;
};

std::string file_and_line(const doing_now& wait) {
  if (wait.file == nullptr) {
    return {};
  }
  std::string text = std::string(wait.file) + ":" + std::to_string(wait.line);
  return wait.function != nullptr ? text + ", " + wait.function : text;
}

std::string member_name(const pool_core& pool, const seat& s, bool guest) {
  const bool spare = !guest && s.index >= pool.seats.workers();
  return (guest ? "guest in " : spare ? "spare in " : "") + pool.options().name + "-" + std::to_string(s.index);
}

noted note(const pool_core& pool, seat& s) {
  noted out;
  out.shown.guest = s.guest_inside.get();
  out.shown.name = member_name(pool, s, out.shown.guest);
  out.shown.index = s.index;
  out.shown.state = s.state.get();
  out.shown.queued = s.others().count();
  out.thread = s.thread.get();
  out.shown.thread = system_number_of(out.thread);
  if (out.shown.state == activity::active) {
    out.shown.system_call = system_call_of(out.shown.thread);
  }
  const std::uint32_t depth = s.doing.depth();
  for (std::uint32_t i = 0; i < std::min(depth, situation_depth); ++i) {
    out.stack.push_back(s.doing[i]);
  }
  if (!out.stack.empty() && out.stack.back().why == wait_reason::mutex &&
      is_of_the_standard_library(out.stack.back().file)) {
    out.stack.back().callers = s.doing.callers();
  }
  out.shown.deeper = depth - static_cast<std::uint32_t>(out.stack.size());
  return out;
}

class picture {
 public:
  explicit picture(const domain& of) {
    of.pools.for_each([&](pool_core& pool) {
      note_shortage(pool);
      pools_.emplace_back(&pool, pool.options().name);
      jobs_left_ += pool.injected.count();
      for (std::uint32_t i = 0; i < pool.seats.bound(); ++i) {
        seat& s = pool.seats[i];
        jobs_left_ += s.others().count();
        if (const std::uint64_t thread = s.thread.get()) {
          names_.emplace_back(thread, member_name(pool, s, s.guest_inside.get()));
        }
        if (s.doing.depth() == 0 && s.state.get() == activity::asleep) {
          ++idle_;
        } else if (s.state.get() != activity::vacant) {
          members_.push_back(note(pool, s));
        }
      }
    });
    const std::uint64_t now = now_ns();
    std::uint32_t waiting = 0;
    for (noted& m : members_) {
      for (const doing_now& d : m.stack) {
        m.shown.stack.push_back(shown(d, now));
      }
      waiting += m.shown.waits_for() != nullptr ? 1 : 0;
    }
    of.outsiders.for_each([&](std::uint64_t thread, const doing_now& wait) {
      outsiders_.push_back({system_number_of(thread), shown(wait, now)});
    });
    const census people = of.people();
    waiting_outside_ = people.waiting() > waiting ? people.waiting() - waiting : 0;
    if (people.tokens() == 0 && jobs_left_ == 0) {
      mark_what_would_be_reported();
    }
  }

  [[nodiscard]] deadlock_report report(deadlock_report::trouble what, const stall& how) const {
    deadlock_report out;
    out.what_is_wrong = what;
    out.idle = idle_;
    out.waiting_outside = waiting_outside_;
    out.outsiders = outsiders_;
    out.jobs_left = jobs_left_;
    out.shortages = shortages_;
    const std::vector<std::size_t> circle = find_circle();
    for (const std::size_t i : circle) {
      out.cycle.push_back(sentence(members_[i]));
      out.workers.push_back(members_[i].shown);
    }
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (std::find(circle.begin(), circle.end(), i) == circle.end()) {
        out.workers.push_back(members_[i].shown);
      }
    }
    out.summary = summary(what, circle, how);
    return out;
  }

 private:
  void note_shortage(const pool_core& pool) {
    const char* const why = pool.spare_workers.why_none_came();
    const std::uint32_t lacking = pool.spare_workers.lacking();
    const bool starves = pool.queued_jobs_starve();
    if (why == nullptr || (lacking == 0 && !starves)) {
      return;
    }
    std::string text = pool.options().name + " has no spare worker: " + why + ".";
    if (lacking != 0) {
      text += " " + std::to_string(lacking) + (lacking == 1 ? " wait" : " waits") + " for the world outside lack" +
              (lacking == 1 ? "s" : "") + " one.";
    }
    text += starves ? " No thread is left to run the queued jobs." : "";
    shortages_.push_back(std::move(text));
  }

  /// Somebody whose stack holds what is waited for, and where in it.
  struct place {
    std::size_t member;
    std::optional<std::size_t> entry;  // none: a mutex, held somewhere on the stack
  };

  /// Empty: it is gone.
  [[nodiscard]] std::string name_of_pool(const void* pool) const {
    const auto found = std::find_if(pools_.begin(), pools_.end(), [&](const auto& each) { return each.first == pool; });
    return found != pools_.end() ? found->second : std::string();
  }
  [[nodiscard]] std::string name_of_holder(std::uint64_t holder) const {
    if (holder == 0) {
      return {};
    }
    for (const auto& [thread, name] : names_) {
      if (thread == thread_of(holder)) {
        return name;
      }
    }
    return "thread " + std::to_string(system_number_of(thread_of(holder))) + " outside the pools";
  }

  [[nodiscard]] deadlock_report::entry shown(const doing_now& d, std::uint64_t now) const {
    deadlock_report::entry out;
    out.waits = d.why != wait_reason::none;
    out.name = d.name != nullptr ? d.name : d.why == wait_reason::pool_end ? name_of_pool(d.what) : "";
    out.why = d.why;
    out.who_can_end_it = d.who_can_end_it;
    out.what = d.what;
    if (out.waits) {
      out.held_by = name_of_holder(d.holder);
      out.seconds = d.since != 0 && now > d.since ? static_cast<double>(now - d.since) * 1e-9 : 0;
      out.where = file_and_line(d);
      for (const void* const each : d.callers) {
        if (each != nullptr) {
          const code_place at = place_of(each);
          out.callers.push_back({at.module, at.offset, at.symbol});
        }
      }
    }
    return out;
  }

  /// If every member waits, the waits of sync.hpp that count as the world's are what keeps this from being a deadlock.
  void mark_what_would_be_reported() {
    const bool all_wait = std::all_of(members_.begin(), members_.end(), [](const noted& m) {
      return m.shown.waits_for() != nullptr &&
             (m.shown.state == activity::blocked || m.shown.state == activity::asleep);
    });
    for (noted& m : members_) {
      if (!all_wait) {
        return;
      }
      deadlock_report::entry& wait = m.shown.stack.back();
      const bool by_choice =
          wait.why == wait_reason::condition || wait.why == wait_reason::semaphore || wait.why == wait_reason::event;
      wait.would_be_reported = by_choice && wait.who_can_end_it == wait_kind::external && !m.stack.back().timed;
    }
  }

  /// Who would have to act so that this member goes on.
  [[nodiscard]] std::optional<place> waits_for(const noted& m) const {
    if (m.stack.empty() || m.stack.back().why == wait_reason::none) {
      return std::nullopt;
    }
    const doing_now& wait = m.stack.back();
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (wait.holder != 0 && members_[i].thread == thread_of(wait.holder)) {
        return place{i, std::nullopt};
      }
      const std::vector<doing_now>& stack = members_[i].stack;
      for (std::size_t k = 0; wait.what != nullptr && k < stack.size(); ++k) {
        if (stack[k].why == wait_reason::none && stack[k].what == wait.what) {
          return place{i, k};
        }
      }
    }
    return std::nullopt;
  }

  /// The members of a circle, in order; empty: there is none.
  [[nodiscard]] std::vector<std::size_t> find_circle() const {
    for (std::size_t start = 0; start < members_.size(); ++start) {
      std::vector<std::size_t> path{start};
      for (std::optional<place> next = waits_for(members_[start]); next; next = waits_for(members_[path.back()])) {
        const auto seen = std::find(path.begin(), path.end(), next->member);
        if (seen != path.end()) {
          return {seen, path.end()};
        }
        path.push_back(next->member);
      }
    }
    return {};
  }

  /// In words; what has no name by its address.
  [[nodiscard]] static std::string what_is_awaited(const deadlock_report::entry& wait) {
    const bool by_address = wait.name.empty() && wait.why >= wait_reason::mutex && wait.what != nullptr;
    return awaited_text(wait.why, wait.name) + (by_address ? " at " + address_text(wait.what) : "");
  }
  [[nodiscard]] static std::string quoted(const char* name) {
    return name != nullptr ? " \"" + std::string(name) + "\"" : std::string();
  }

  [[nodiscard]] std::string sentence(const noted& m) const {
    std::string text = m.shown.name + " waits for " + what_is_awaited(m.shown.stack.back());
    const std::optional<place> next = waits_for(m);
    if (!next) {
      return text;
    }
    const noted& other = members_[next->member];
    const bool itself = &other == &m;
    if (!next->entry) {
      return text + " held by " + (itself ? "itself: " + locked_before(m) : other.shown.name);
    }
    const doing_now& job = other.stack[*next->entry];
    text += ", whose job" + quoted(job.name) + " is on " + (itself ? "its own stack" : other.shown.name);
    if (jobs_in(other, *next->entry + 1) != 0) {
      text += ", under what it has begun since";
    }
    return text;
  }

  [[nodiscard]] static std::ptrdiff_t jobs_in(const noted& m, std::size_t from) {
    return std::count_if(m.stack.begin() + static_cast<std::ptrdiff_t>(from), m.stack.end(),
                         [](const doing_now& d) { return d.why == wait_reason::none; });
  }
  [[nodiscard]] static std::string locked_before(const noted& m) {
    return jobs_in(m, 0) > 1 ? "a job further down on its own stack seems to have locked it"
                             : "it has locked it before";
  }

  [[nodiscard]] std::string jobs_text() const {
    return std::to_string(jobs_left_) + (jobs_left_ == 1 ? " job is queued" : " jobs are queued");
  }
  [[nodiscard]] static std::string running(const deadlock_report::entry& job) {
    return job.name.empty() ? "a job" : "\"" + job.name + "\"";
  }

  [[nodiscard]] std::string stalled(const stall& how) const {
    std::string text = "Stalled: for " + seconds_text(how.seconds) + " no job has begun or ended";
    text += jobs_left_ != 0 ? ", though " + jobs_text() : "";
    text += how.ending != nullptr ? ", and the destructor of" + quoted(how.ending) + " waits" : "";
    for (const noted& m : members_) {
      if (m.shown.state == activity::active) {
        text += "; " + m.shown.name + " runs " + (m.shown.stack.empty() ? "a job" : running(m.shown.stack.back())) +
                (m.shown.system_call.empty() ? "" : " and sits in " + m.shown.system_call);
      } else if (m.shown.waits_for() != nullptr) {
        text += "; " + sentence(m);
      }
    }
    return text + ".";
  }

  [[nodiscard]] std::string summary(deadlock_report::trouble what, const std::vector<std::size_t>& circle,
                                    const stall& how) const {
    std::string text;
    switch (what) {
      case deadlock_report::trouble::none:
        return "Nothing is known to be wrong.";
      case deadlock_report::trouble::starved:
        text = "Starved: " + jobs_text() + ", no worker is free, and no more spare workers can be started";
        break;
      case deadlock_report::trouble::stalled:
        return stalled(how);
      case deadlock_report::trouble::deadlock:
        text = circle.empty()       ? "Deadlock: nobody is left who could end what is waited for"
               : circle.size() == 1 ? "Deadlock: a thread waits for itself"
                                    : "Deadlock: " + std::to_string(circle.size()) + " threads wait for each other";
        break;
    }
    if (circle.empty()) {
      constexpr std::size_t most = 4;  // the rest is below
      std::size_t waiting = 0;
      for (const noted& m : members_) {
        if (m.shown.waits_for() != nullptr && waiting++ < most) {
          text += (waiting == 1 ? ": " : "; ") + sentence(m);
        }
      }
      return text + (waiting > most ? "; and " + std::to_string(waiting - most) + " more." : ".");
    }
    for (std::size_t i = 0; i < circle.size(); ++i) {
      text += (i == 0 ? ": " : "; ") + sentence(members_[circle[i]]);
    }
    return text + ".";
  }

  std::vector<noted> members_;
  std::vector<std::pair<std::uint64_t, std::string>> names_;  // of all members, also of idle ones, by their threads
  unsigned idle_ = 0;
  unsigned waiting_outside_ = 0;
  std::vector<deadlock_report::outsider> outsiders_;
  std::uint64_t jobs_left_ = 0;
  std::vector<std::string> shortages_;
  std::vector<std::pair<const void*, std::string>> pools_;  // by their addresses
};

}  // namespace

deadlock_report make_report(const domain& of, deadlock_report::trouble what, const stall& how) {
  return picture(of).report(what, how);
}

const deadlock_report& make_report_in(std::optional<deadlock_report>& room, const domain& of,
                                      deadlock_report::trouble what, const stall& how) noexcept {
  try {
    return room.emplace(make_report(of, what, how));
  } catch (const std::bad_alloc&) {
    return without_memory().of(what);
  }
}

}  // namespace dozer::inline DOZER_PLATFORM::detail

namespace dozer::inline DOZER_PLATFORM {

deadlock_report current_state() {
  return detail::make_report(detail::current_domain(), deadlock_report::trouble::none);
}

std::string dump_state() { return current_state().to_string(); }

}  // namespace dozer::inline DOZER_PLATFORM

extern "C" [[gnu::used]] void dozer_dump_state() noexcept {
  try {
    dozer::detail::print_error(dozer::dump_state().c_str());
  } catch (const std::bad_alloc&) {
    dozer::detail::print_error("dozer: there is no memory to say who does what\n");
  }
}
