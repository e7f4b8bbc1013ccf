// Runs: the set-up, its copy, and how a run begins and ends.
#include "machine.hpp"

#include <csignal>
#include <cstdlib>
#include <cstring>

namespace verify {

machine* the_machine_if_made = nullptr;

machine& the_machine() noexcept {
  if (the_machine_if_made == nullptr) {
    the_machine_if_made = new machine;  // never destroyed: statics of the checked program may outlive it
  }
  return *the_machine_if_made;
}

machine::machine() : cells_(space::size / 8), cell_kinds_(space::size / 8) {}

bool machine::set_up(void (*program)(void*), void* argument, const limits& bounds) {
  limits_ = bounds;
  exploring_ = failed_ = ended_ = at_root_ = in_program_ = false;
  chooser_ = nullptr;
  current_ = 0;
  thread_count_ = 0;
  locations_.clear();
  watched_.clear();
  counted_.clear();
  kinds_.clear();
  cell_kinds_.assign(cell_kinds_.size(), {});
  sc_ = {};
  slots_used_ = 0;
  dirty_.clear();
  slot_ = nullptr;
  reporter_ = nullptr;
  steps_done_ = 0;
  std::memset(space_.used, 0, sizeof space_.used);
  for (model_thread& t : threads_) {
    t = model_thread{};
  }
  // Location 0 means: not of this run.
  locations_.push_back({});
  if (stores_.empty()) {
    stores_.emplace_back();
  }
  start_thread(program, argument);
  std::strcpy(threads_[0].name, "main");
  switch_fiber(host_, threads_[0].context);
  if (!at_root_) {
    if (!failed_) {
      failure_ = {"scenario", "it ended without go()"};
      failed_ = true;
    }
    return false;
  }
  save();
  return true;
}

bool machine::run(chooser& by) {
  restore();
  chooser_ = &by;
  exploring_ = true;
  switch_fiber(host_, threads_[0].context);
  exploring_ = false;
  chooser_ = nullptr;
  return ended_ && !failed_;
}

void machine::to_host() noexcept {
  in_program_ = false;
  switch_fiber(threads_[current_].context, host_);
}

void machine::abandon() noexcept {
  to_host();
  std::abort();
}

void machine::fail(const char* property, std::string what) noexcept {
  in_program_ = false;
  failure_.property = property;
  failure_.what.assign(what.data(), what.size());  // a copy: the text may stand in memory of the run
  failed_ = true;
  to_host();
  std::abort();
}

void machine::catch_crashes() noexcept {
  static std::byte stack[64 * 1024];
  stack_t own{};
  own.ss_sp = stack;
  own.ss_size = sizeof stack;
  sigaltstack(&own, nullptr);
  struct sigaction action {};
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  action.sa_handler = [](int signal) {
    machine& m = the_machine();
    if (!m.exploring_ && m.thread_count_ == 0) {
      std::signal(signal, SIG_DFL);
      return;
    }
    m.fail("crash", std::string("signal ") + std::to_string(signal));
  };
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    sigaction(signal, &action, nullptr);
  }
}

/// What happened before go() is long ago: everybody knows all of it.
void machine::save() {
  for (std::size_t i = 1; i < locations_.size(); ++i) {
    location& l = locations_[i];
    stores_[i][0] = stores_[i][l.stores - 1];
    stores_[i][0].message = {};
    stores_[i][0].time = 0;
    l.stores = 1;
    l.slot = -1;
    l.at_setup = true;
    l.used_at = {};
    l.unparked_floor = 0;
    kind_of_location& kind = kinds_[l.key];
    kind = {};
    l.kind = &kind;
  }
  for (thread_id t = 0; t < thread_count_; ++t) {
    model_thread& each = threads_[t];
    each.cur = each.acq = each.rel = {};
    each.cur.before.of[t] = 1;
    each.ops = 0;
    each.did = {};
    each.hash = t + 1;
    if (each.state == status::held) {
      each.state = status::runnable;
      each.next = {};
    }
    saved_threads_[t] = each;
  }
  saved_thread_count_ = thread_count_;
  saved_locations_ = locations_;
  saved_watched_ = watched_.size();
  std::memcpy(saved_used_, space_.used, sizeof saved_used_);
  saved_memory_.clear();
  for (thread_id t = 0; t < thread_count_; ++t) {
    const auto* const sp = static_cast<const std::byte*>(threads_[t].context.sp);
    saved_memory_.insert(saved_memory_.end(), sp, const_cast<const std::byte*>(space_.stack_end(t)));
    saved_memory_.insert(saved_memory_.end(), space_.heap_begin(t), space_.heap_begin(t) + space_.used[t]);
  }
}

void machine::restore() {
  failed_ = ended_ = found_new_visible_ = false;
  preempts_ = false;
  ++run_number_;
  current_ = 0;
  thread_count_ = saved_thread_count_;
  locations_.assign(saved_locations_.begin(), saved_locations_.end());
  watched_.resize(saved_watched_);
  std::memcpy(space_.used, saved_used_, sizeof saved_used_);
  const std::byte* from = saved_memory_.data();
  for (thread_id t = 0; t < thread_count_; ++t) {
    threads_[t] = saved_threads_[t];
    auto* const sp = static_cast<std::byte*>(threads_[t].context.sp);
    const auto stack = static_cast<std::size_t>(space_.stack_end(t) - sp);
    std::memcpy(sp, from, stack);
    from += stack;
    std::memcpy(space_.heap_begin(t), from, space_.used[t]);
    from += space_.used[t];
  }
  for (std::size_t t = thread_count_; t < max_threads; ++t) {
    threads_[t].state = status::absent;
  }
  if (slot_ != nullptr) {
    *slot_ = threads_[0].slot;
  }
  sc_ = {};
  dirty_.clear();
  ended_hash_ = 0;
  spurious_wakes_left_ = limits_.spurious_wakes;
  spurious_failures_left_ = limits_.spurious_failures;
  timeouts_left_ = limits_.timeouts;
  steps_done_ = 0;
  if (steps_ != nullptr) {
    steps_->clear();
  }
}

void machine::go() noexcept {
  outside guard(*this);
  at_root_ = true;
  if (slot_ != nullptr) {
    me().slot = *slot_;
  }
  to_host();
}

}  // namespace verify
