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
  root_.reset();
  exploring_ = failed_ = ended_ = at_root_ = in_program_ = has_timed_parks_ = naps_forbidden_ = false;
  chooser_ = nullptr;
  current_ = 0;
  thread_count_ = 0;
  locations_.clear();
  watched_.clear();
  counted_.clear();
  joined_ = tallied_ = 0;
  kinds_.clear();
  cell_kinds_.assign(cell_kinds_.size(), {});
  sc_ = {};
  slots_used_ = 0;
  dirty_.clear();
  std::fill(std::begin(pointers_), std::end(pointers_), nullptr);
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
  forget_what_was_before();
  spurious_wakes_left_ = limits_.spurious_wakes;
  spurious_failures_left_ = limits_.spurious_failures;
  timeouts_left_ = limits_.timeouts;
  steps_done_ = 0;
  root_ = std::make_unique<checkpoint>();
  save(*root_);
  return true;
}

bool machine::run(chooser& by) { return root_ != nullptr && run_from(*root_, by); }

bool machine::run_from(const checkpoint& c, chooser& by) {
  restore(c);
  chooser_ = &by;
  exploring_ = true;
  switch_fiber(host_, threads_[current_].context);
  while (keeping_ != nullptr) {
    save(*keeping_);
    keeping_ = nullptr;
    switch_fiber(host_, threads_[current_].context);
  }
  exploring_ = false;
  chooser_ = nullptr;
  return ended_ && !failed_;
}

void machine::keep(checkpoint& into) noexcept {
  keeping_ = &into;
  to_host();
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
void machine::forget_what_was_before() {
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
  }
  sc_ = {};
  dirty_.clear();
  used_cells_.clear();
  ended_hash_ = 0;
  preempts_ = false;
}

void machine::save(checkpoint& into) const {
  into.memory_.clear();
  for (thread_id t = 0; t < thread_count_; ++t) {
    const auto* const sp = static_cast<const std::byte*>(threads_[t].context.sp);
    into.memory_.insert(into.memory_.end(), sp, const_cast<const std::byte*>(space_.stack_end(t)));
    into.memory_.insert(into.memory_.end(), space_.heap_begin(t), space_.heap_begin(t) + space_.used[t]);
  }
  std::memcpy(into.used_, space_.used, sizeof into.used_);
  into.threads_.assign(threads_, threads_ + thread_count_);
  into.threads_[current_].own = pointers();
  into.locations_.assign(locations_.begin(), locations_.end());
  into.cells_.clear();
  for (const std::uint32_t i : used_cells_) {
    into.cells_.emplace_back(i, cells_[i]);
  }
  into.dirty_.assign(dirty_.begin(), dirty_.end());
  into.sc_ = sc_;
  into.current_ = current_;
  into.preempts_ = preempts_;
  into.spurious_wakes_left_ = spurious_wakes_left_;
  into.spurious_failures_left_ = spurious_failures_left_;
  into.timeouts_left_ = timeouts_left_;
  into.steps_done_ = steps_done_;
  into.ended_hash_ = ended_hash_;
  into.watched_ = watched_.size();
}

void machine::restore(const checkpoint& c) {
  failed_ = ended_ = found_new_visible_ = false;
  thread_count_ = static_cast<thread_id>(c.threads_.size());
  std::memcpy(space_.used, c.used_, sizeof c.used_);
  const std::byte* from = c.memory_.data();
  for (thread_id t = 0; t < thread_count_; ++t) {
    threads_[t] = c.threads_[t];
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
  locations_.assign(c.locations_.begin(), c.locations_.end());
  ++run_number_;
  used_cells_.clear();
  for (const auto& [i, kept] : c.cells_) {
    cells_[i] = kept;
    cells_[i].run = run_number_;
    used_cells_.push_back(i);
  }
  dirty_.assign(c.dirty_.begin(), c.dirty_.end());
  sc_ = c.sc_;
  current_ = c.current_;
  preempts_ = c.preempts_;
  spurious_wakes_left_ = c.spurious_wakes_left_;
  spurious_failures_left_ = c.spurious_failures_left_;
  timeouts_left_ = c.timeouts_left_;
  steps_done_ = c.steps_done_;
  ended_hash_ = c.ended_hash_;
  watched_.resize(c.watched_);
  set_pointers(threads_[current_].own);
  if (steps_ != nullptr) {
    steps_->clear();
  }
}

void machine::go() noexcept {
  outside guard(*this);
  at_root_ = true;
  to_host();
}

}  // namespace verify
