#include "explorer.hpp"

#include "state_cache.hpp"

#include <fmt/format.h>
#include <time.h>

#include <memory>
#include <random>

namespace verify {

std::function<void()> at_end_of_run;

namespace {

/// Processor time of the process: a search gets as far on a busy machine as on a quiet one.
double now_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Random runs. They also find out which locations are visible before the search begins.
class random_walk : public keeping_chooser {
 public:
  random_walk(machine& m, std::uint64_t seed) : keeping_chooser(m), random_(seed) {}

  void run() {
    begin();
    by_priority_ = random_() % 2 != 0;
    for (unsigned& p : priority_) {
      p = static_cast<unsigned>(random_() % 1000 + 10);
    }
    until_change_ = static_cast<unsigned>(random_() % 60);
    machine_.run(*this);
  }

  thread_id next_thread(thread_id current, thread_mask enabled, thread_mask spurious) override {
    thread_id chosen = ordinary(current, enabled);
    if (by_priority_) {
      if (until_change_-- == 0) {
        priority_[chosen] = static_cast<unsigned>(random_() % 10);
        until_change_ = static_cast<unsigned>(random_() % 60);
      }
      for (thread_id t = 0; t < max_threads; ++t) {
        if ((enabled & bit(t)) != 0 && priority_[t] > priority_[chosen]) {
          chosen = t;
        }
      }
      if (spurious != 0 && random_() % 32 == 0) {
        chosen = nth(spurious, random_());
      }
    } else {
      const auto all = static_cast<thread_mask>(enabled | (random_() % 8 == 0 ? spurious : 0));
      chosen = nth(all, random_());
    }
    return keep_thread(current, enabled, chosen);
  }
  unsigned choose(choice kind, unsigned options) override {
    unsigned chosen = 0;
    if (kind == choice::pick || random_() % 3 == 0) {
      chosen = static_cast<unsigned>(random_() % options);
    }
    return keep(kind, chosen);
  }

 private:
  static thread_id nth(thread_mask of, std::uint64_t n) {
    n %= static_cast<unsigned>(__builtin_popcount(of));
    thread_id t = 0;
    for (;; ++t) {
      if ((of & bit(t)) != 0 && n-- == 0) {
        return t;
      }
    }
  }

  std::mt19937_64 random_;
  bool by_priority_ = false;
  unsigned priority_[max_threads] = {};
  unsigned until_change_ = 0;
};

/// Depth first. Without a bound: sleep sets, and of each state the threads that were tried there. With a bound on
/// preemptions: of each state and its running thread the fewest preemptions that led there.
class depth_first : public keeping_chooser {
 public:
  depth_first(machine& m, int bound, bool reduce) : keeping_chooser(m), bound_(bound), reduce_(reduce) {}

  void run() {
    pruned_ = false;
    path_.resize(stack_.empty() ? 0 : stack_.back().path);
    while (kept_ != 0 && places_[kept_ - 1]->position >= stack_.size()) {
      --kept_;
    }
    if (kept_ == 0) {
      begin();
      position_ = 0;
      asleep_ = 0;
      preemptions_ = 0;
      kept_at_step_ = 0;
      machine_.run(*this);
    } else {
      const place& p = *places_[kept_ - 1];
      begin(p.deviations);
      position_ = p.position;
      asleep_ = p.asleep;
      preemptions_ = p.preemptions;
      kept_at_step_ = p.step;
      machine_.run_from(p.state, *this);
    }
  }
  /// False: there is nothing left to try.
  bool backtrack() {
    while (!stack_.empty()) {
      decision& top = stack_.back();
      if (top.kind == choice::thread) {
        if (top.left != 0) {
          top.asleep |= bit(top.chosen);
          top.chosen = first_of(top.left, top.current);
          top.left &= static_cast<thread_mask>(~bit(top.chosen));
          return true;
        }
      } else if (top.chosen + 1u < top.options) {
        ++top.chosen;
        return true;
      }
      stack_.pop_back();
    }
    return false;
  }
  void start_over() {
    stack_.clear();
    path_.clear();
    cache_.clear();
    kept_ = 0;
  }
  [[nodiscard]] std::uint64_t states() const noexcept { return cache_.size(); }
  [[nodiscard]] bool pruned() const noexcept { return pruned_; }

  thread_id next_thread(thread_id current, thread_mask enabled, thread_mask spurious) override {
    const auto all = static_cast<thread_mask>(enabled | spurious);
    const bool alone = (all & (all - 1)) == 0;
    if (!alone && position_ == stack_.size() && machine_.steps_done() >= kept_at_step_ + steps_between_places) {
      keep_place();
    }
    thread_id chosen;
    if (position_ < stack_.size()) {
      if (alone) {
        chosen = static_cast<thread_id>(__builtin_ctz(all));
      } else {
        const decision& d = stack_[position_++];
        chosen = d.chosen;
        asleep_ = d.asleep;
      }
    } else {
      const thread_mask options =
          !reduce_ ? all : (bound_ == unbounded ? awake(all) : affordable(current, enabled, all));
      if (options == 0) {
        expect_no_circle();
        pruned_ = true;
        machine_.abandon();
      }
      chosen = first_of(options, current);
      if (!alone) {
        stack_.push_back({choice::thread, chosen, 0, current, asleep_, static_cast<thread_mask>(options & ~bit(chosen)),
                          path_.size()});
        ++position_;
      }
    }
    if (bound_ == unbounded && reduce_) {
      fall_awake(chosen);
    } else if (chosen != current && (enabled & bit(current)) != 0) {
      ++preemptions_;
    }
    return keep_thread(current, enabled, chosen);
  }

  unsigned choose(choice kind, unsigned options) override {
    if (position_ == stack_.size()) {
      stack_.push_back({kind, 0, static_cast<std::uint8_t>(options), 0, 0, 0, path_.size()});
    }
    return keep(kind, stack_[position_++].chosen);
  }

 private:
  struct decision {
    choice kind;
    std::uint8_t chosen;
    std::uint8_t options;
    thread_id current;
    thread_mask asleep;  // threads whose next step was tried already, and would only come to the same
    thread_mask left;    // threads to try yet
    std::size_t path;    // states on the way here
  };

  /// A state on the way that is tried now, and how far each thread had come.
  struct passed {
    std::uint64_t state;
    int preemptions;
    std::uint32_t operations[max_threads];
    std::uint32_t parks[max_threads];
  };

  /// Where runs may begin, instead of at the root.
  struct place {
    std::size_t position;
    std::size_t deviations;
    thread_mask asleep;
    int preemptions;
    std::uint32_t step;
    machine::checkpoint state;
  };
  static constexpr std::uint32_t steps_between_places = 8;

  /// Returns once more in each run that begins here.
  void keep_place() {
    if (kept_ == places_.size()) {
      places_.push_back(std::make_unique<place>());
    }
    place& p = *places_[kept_++];
    p.position = position_;
    p.deviations = taken().size();
    p.asleep = asleep_;
    p.preemptions = preemptions_;
    p.step = kept_at_step_ = machine_.steps_done();
    machine_.keep(p.state);
  }

  static thread_id first_of(thread_mask of, thread_id preferred) noexcept {
    return (of & bit(preferred)) != 0 ? preferred : static_cast<thread_id>(__builtin_ctz(of));
  }

  /// Notes that the run has come to this state.
  std::uint64_t pass(std::uint64_t state) {
    path_.push_back({state, preemptions_, {}, {}});
    for (thread_id t = 0; t < machine_.threads_started(); ++t) {
      path_.back().operations[t] = machine_.operations(t);
      path_.back().parks[t] = machine_.parks(t);
    }
    return state;
  }
  /// A run that comes back to a state of its own could go on so for ever. That is a livelock, unless each thread that
  /// had a part in it has parked meanwhile. (A preemption costs something: that cannot go on for ever.)
  void expect_no_circle() {
    const passed& now = path_.back();
    for (std::size_t i = path_.size() - 1; i-- > 0;) {
      const passed& before = path_[i];
      if (before.state != now.state || before.preemptions != now.preemptions) {
        continue;
      }
      for (thread_id t = 0; t < machine_.threads_started(); ++t) {
        if (now.operations[t] != before.operations[t] && now.parks[t] == before.parks[t]) {
          machine_.fail("livelock", fmt::format("{} goes round in circles", machine_.thread_name(t)));
        }
      }
    }
  }

  thread_mask awake(thread_mask all) {
    std::uint8_t& tried = cache_.at(pass(machine_.state_hash()), 0);
    asleep_ &= static_cast<thread_mask>(~tried);
    const auto options = static_cast<thread_mask>(all & ~asleep_ & ~tried);
    tried |= static_cast<std::uint8_t>(options);
    return options;
  }
  thread_mask affordable(thread_id current, thread_mask enabled, thread_mask all) {
    const bool goes_on = (enabled & bit(current)) != 0;
    std::uint8_t& fewest = cache_.at(pass(fold(machine_.state_hash(), goes_on ? current : 0xFF)), 0xFF);
    if (fewest <= preemptions_) {
      return 0;
    }
    fewest = static_cast<std::uint8_t>(preemptions_);
    return goes_on && preemptions_ == bound_ ? bit(current) : all;
  }
  /// After the step of `chosen`, whoever depends on it must be tried again.
  void fall_awake(thread_id chosen) {
    const pending& done = machine_.next_of(chosen);
    for (thread_id t = 0; asleep_ >> t != 0; ++t) {
      if ((asleep_ & bit(t)) != 0 && pending::dependent(done, machine_.next_of(t))) {
        asleep_ &= static_cast<thread_mask>(~bit(t));
      }
    }
  }

  const int bound_;
  const bool reduce_;
  std::vector<decision> stack_;
  std::vector<passed> path_;
  std::size_t position_ = 0;
  thread_mask asleep_ = 0;
  int preemptions_ = 0;
  bool pruned_ = false;
  std::vector<std::unique_ptr<place>> places_;
  std::size_t kept_ = 0;            // of the places, those on the way that is tried now
  std::uint32_t kept_at_step_ = 0;  // the last of them
  state_cache cache_;
};

void keep_failure(machine& m, search_result& result, const schedule& how, bool shorten) {
  result.failed = *m.failed();
  result.how = how;
  if (shorten) {
    result.how = minimise(m, how, result.failed->property);
  }
}

/// One bound. True: go on with the next one.
bool explore_bound(machine& m, int bound, const search_options& options, search_result& result, double started) {
  depth_first search(m, bound, options.reduce);
  result.bound = bound;
  result.complete = false;
  result.executions = 0;
  double told = started;
  for (;;) {
    search.run();
    if (m.found_new_visible() && m.failed() == nullptr) {
      search.start_over();
      result.executions = 0;
      continue;
    }
    ++result.executions;
    result.states = search.states();
    if (m.failed() != nullptr) {
      keep_failure(m, result, search.taken(), options.minimise);
      return false;
    }
    if (!search.pruned() && at_end_of_run) {
      at_end_of_run();
    }
    if (!search.backtrack()) {
      result.complete = true;
      return true;
    }
    if ((result.executions & 0x3FF) == 0) {
      const double now = now_seconds();
      if (now - started > options.most_seconds) {
        return false;
      }
      if (options.progress && now - told > 2) {
        told = now;
        options.progress(fmt::format("bound {}: {} executions, {} states, {:.0f} s", bound, result.executions,
                                     result.states, now - started)
                             .c_str());
      }
    }
    if (result.executions >= options.most_executions) {
      return false;
    }
  }
}

}  // namespace

search_result sample(program p, void* argument, const search_options& options, std::uint64_t seed) {
  machine& m = the_machine();
  search_result result;
  const double started = now_seconds();
  if (!m.set_up(p, argument, options.bounds)) {
    result.failed = *m.failed();
    return result;
  }
  random_walk walk(m, seed);
  while (result.executions < options.most_executions && now_seconds() - started < options.most_seconds) {
    walk.run();
    ++result.executions;
    if (m.failed() != nullptr) {
      keep_failure(m, result, walk.taken(), options.minimise);
      break;
    }
    if (at_end_of_run) {
      at_end_of_run();
    }
  }
  result.seconds = now_seconds() - started;
  return result;
}

search_result explore(program p, void* argument, const search_options& options) {
  machine& m = the_machine();
  search_result result;
  const double started = now_seconds();
  if (!m.set_up(p, argument, options.bounds)) {
    result.failed = *m.failed();
    return result;
  }
  // What two threads use, one of them writing, must be known before the search: it begins anew whenever it finds more.
  constexpr std::uint64_t warm_up_seed = 1;
  random_walk warm_up(m, warm_up_seed);
  std::optional<failure> by_chance;
  schedule by_chance_how;
  for (int i = 0; i < 100; ++i) {
    warm_up.run();
    if (m.failed() != nullptr && !by_chance) {
      by_chance = *m.failed();
      by_chance_how = warm_up.taken();
    }
  }
  const int last = options.preemptions == unbounded ? 3 : options.preemptions;
  bool more = true;
  m.everything_visible(!options.reduce);
  const int first = options.deepen ? 0 : (options.preemptions == unbounded ? last + 1 : last);
  for (int bound = first; more && bound <= last; ++bound) {
    more = explore_bound(m, bound, options, result, started);
  }
  if (more && options.preemptions == unbounded) {
    explore_bound(m, unbounded, options, result, started);
  }
  m.everything_visible(false);
  if (!result.failed && by_chance) {
    // Beyond the bound, but it fails.
    result.failed = by_chance;
    result.how = options.minimise ? minimise(m, by_chance_how, by_chance->property) : by_chance_how;
  }
  result.seconds = now_seconds() - started;
  return result;
}

}  // namespace verify
