// What a member is in the middle of: the jobs on its stack, and the waits within them. For reports: written by the
// member, read by anybody at any time.
#pragma once

#include <dozer/detail/platform.hpp>
#include <dozer/stats.hpp>
#include <dozer/wait_kind.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace dozer::inline DOZER_PLATFORM::detail {

/// A job that it runs, or something that it waits for.
struct doing_now {
  const char* name = nullptr;           // of the job, or of what is waited for
  const void* what = nullptr;           // of a job: its awaited_as. Of a wait: what for
  wait_reason why = wait_reason::none;  // none: a job
  wait_kind who_can_end_it = wait_kind::pool;
  std::uint64_t since = 0;     // of a wait, once it sleeps or blocks
  std::uint64_t holder = 0;    // of a wait for a mutex
  bool timed = false;          // a wait that ends by itself
  const char* file = nullptr;  // where the wait was begun, if that is known
  std::uint32_t line = 0;
  const char* function = nullptr;
  call_chain callers{};  // of a wait for a mutex, if the line above is one of the standard library
};

/// The same, to be read at any time by anybody.
struct noted_doing {
  reported<const char*> name{nullptr};
  reported<const void*> what{nullptr};
  reported<wait_reason> why{wait_reason::none};
  reported<wait_kind> who_can_end_it{wait_kind::pool};
  reported<std::uint64_t> since{0};
  reported<std::uint64_t> holder{0};
  reported<bool> timed{false};
  reported<const char*> file{nullptr};
  reported<std::uint32_t> line{0};
  reported<const char*> function{nullptr};

  void set(const doing_now& d) noexcept {
    name.set(d.name);
    what.set(d.what);
    why.set(d.why);
    who_can_end_it.set(d.who_can_end_it);
    since.set(d.since);
    holder.set(d.holder);
    timed.set(d.timed);
    file.set(d.file);
    line.set(d.line);
    function.set(d.function);
  }
  [[nodiscard]] doing_now get() const noexcept {
    return {name.get(),   what.get(),  why.get(),  who_can_end_it.get(), since.get(),
            holder.get(), timed.get(), file.get(), line.get(),           function.get()};
  }
};

/// The callers of a wait. Apart: few waits have them, and only the newest entry of a stack can be one that does.
class noted_callers {
 public:
  void set(const call_chain& callers) noexcept {
    for (std::size_t i = 0; i < callers.size(); ++i) {
      callers_[i].set(callers[i]);
    }
  }
  [[nodiscard]] call_chain get() const noexcept {
    call_chain out{};
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = callers_[i].get();
    }
    return out;
  }

 private:
  std::array<reported<const void*>, std::tuple_size_v<call_chain>> callers_;
};

/// True for the headers of libstdc++ and libc++: such a line says nothing about who waits.
[[nodiscard]] bool is_of_the_standard_library(const char* file) noexcept;

/// What is waited for, in words; the name may be empty.
[[nodiscard]] std::string awaited_text(wait_reason why, std::string_view name);

class situation {
 public:
  void begin_job(const char* name, const void* awaited_as) noexcept {
    depth_.set(depth_.get() + 1);
    is_job(name, awaited_as);
  }
  /// The newest job turns out to be this one.
  void is_job(const char* name, const void* awaited_as) noexcept {
    if (noted_doing* const newest = top()) {
      newest->name.set(name);
      newest->what.set(awaited_as);
      newest->why.set(wait_reason::none);
    }
  }
  void begin_wait(const doing_now& wait) noexcept {
    depth_.set(depth_.get() + 1);
    if (noted_doing* const newest = top()) {
      newest->set(wait);
    }
    if (wait.callers[0] != nullptr) [[unlikely]] {
      callers_.set(wait.callers);
    }
  }
  void end() noexcept {
    depth_.set(depth_.get() - 1);
    if (depth_.get() >= situation_depth) {
      entries_[situation_depth - 1].set(
          {.name = "something that was not kept"});  // it has made room for what has ended
    }
  }
  /// The newest wait is about to be slept in, or to have a job run on top of it, for the first time or again.
  void lasts() noexcept {
    if (noted_doing* const newest = top(); newest != nullptr && newest->since.get() == 0) {
      newest->since.set(now_ns());
    }
  }
  void held_by(std::uint64_t holder) noexcept {
    if (noted_doing* const newest = top()) {
      newest->holder.set(holder);
    }
  }

  [[nodiscard]] std::uint32_t depth() const noexcept { return depth_.get(); }
  /// Below the depth and situation_depth. Of those that go deeper the newest is kept, as the last, and the others are
  /// counted. A mix of two if it changes just now.
  [[nodiscard]] doing_now operator[](std::uint32_t at) const noexcept { return entries_[at].get(); }
  /// Of the mutex that is waited for now; 0: none is.
  [[nodiscard]] std::uint64_t awaited_holder() const noexcept {
    const noted_doing* const newest = top();
    return newest != nullptr && newest->why.get() == wait_reason::mutex ? newest->holder.get() : 0;
  }
  /// When the newest wait began, if it is one and that is known.
  [[nodiscard]] std::uint64_t since() const noexcept {
    const noted_doing* const newest = top();
    return newest != nullptr && newest->why.get() != wait_reason::none ? newest->since.get() : 0;
  }
  /// Of the newest entry, if it is a wait for a mutex and its line is one of the standard library.
  [[nodiscard]] call_chain callers() const noexcept { return callers_.get(); }
  /// Of the newest job, or null.
  [[nodiscard]] const char* job_name() const noexcept {
    for (std::uint32_t at = std::min(depth(), situation_depth); at > 0; --at) {
      if (entries_[at - 1].why.get() == wait_reason::none) {
        return entries_[at - 1].name.get();
      }
    }
    return nullptr;
  }

 private:
  /// Null: nothing.
  [[nodiscard]] const noted_doing* top() const noexcept {
    const std::uint32_t depth = depth_.get();
    return depth != 0 ? &entries_[std::min(depth, situation_depth) - 1] : nullptr;
  }
  [[nodiscard]] noted_doing* top() noexcept { return const_cast<noted_doing*>(std::as_const(*this).top()); }

  reported<std::uint32_t> depth_{0};
  noted_callers callers_;
  std::array<noted_doing, situation_depth> entries_;
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
