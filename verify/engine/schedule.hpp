// What was out of the ordinary in a run: enough to do it again. Ordinary is that a thread goes on while it can, that a
// load reads the newest store, and that nothing happens for no reason.
#pragma once

#include "chooser.hpp"
#include "machine.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace verify {

/// Thread `by`, before its operation number `at`, or parked after so many.
struct deviation {
  choice kind;
  thread_id by;
  bool stuck;  // `by` could not go on itself
  std::uint32_t at;
  unsigned chosen;

  friend bool operator==(const deviation&, const deviation&) = default;
};

using schedule = std::vector<deviation>;

/// "1.17>2" thread 1, before operation 17: go on with thread 2. "1.17|2" the same, since 1 cannot. "2.5~1" reads the
/// store before the newest. "2.5!1" fails, or wakes, for no reason. "1.9?1" picks the second.
[[nodiscard]] std::string to_string(const schedule& s);
/// Nothing: that is not a schedule.
[[nodiscard]] std::optional<schedule> parse_schedule(std::string_view text);

/// A chooser that keeps the deviations of the run under way.
class keeping_chooser : public chooser {
 public:
  explicit keeping_chooser(machine& m) : machine_(m) {}
  [[nodiscard]] const schedule& taken() const noexcept { return taken_; }

  /// Who goes on if nothing is out of the ordinary.
  [[nodiscard]] static thread_id ordinary(thread_id current, thread_mask enabled) noexcept;

 protected:
  /// A run begins, of whose deviations the first `kept` are known.
  void begin(std::size_t kept = 0) { taken_.erase(taken_.begin() + static_cast<std::ptrdiff_t>(kept), taken_.end()); }
  thread_id keep_thread(thread_id current, thread_mask enabled, thread_id chosen) {
    if (chosen != ordinary(current, enabled)) {
      taken_.push_back({choice::thread, current, (enabled & bit(current)) == 0, machine_.operations(current), chosen});
    }
    return chosen;
  }
  unsigned keep(choice kind, unsigned chosen) {
    if (chosen != 0) {
      taken_.push_back({kind, machine_.self(), false, machine_.operations(machine_.self()), chosen});
    }
    return chosen;
  }

  machine& machine_;

 private:
  schedule taken_;
};

/// Does what a schedule says, and the ordinary elsewhere.
class replay : public keeping_chooser {
 public:
  replay(machine& m, schedule s) : keeping_chooser(m), schedule_(std::move(s)) {}
  /// Runs once. True if it failed.
  bool run();

  thread_id next_thread(thread_id current, thread_mask enabled, thread_mask spurious) override;
  unsigned choose(choice kind, unsigned options) override;

 private:
  schedule schedule_;
};

/// Leaves out what is not needed for a run to fail in the same way.
[[nodiscard]] schedule minimise(machine& m, schedule s, const std::string& property);

/// A failing run, step by step.
[[nodiscard]] std::string trace_text(machine& m, const schedule& s);

}  // namespace verify
