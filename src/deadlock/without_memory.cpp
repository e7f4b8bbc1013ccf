#include "without_memory.hpp"

namespace dozer::inline DOZER_PLATFORM::detail {

namespace {

deadlock_report only_a_sentence(deadlock_report::trouble what, const char* sentence) {
  deadlock_report out;
  out.what_is_wrong = what;
  out.summary = std::string(sentence) + ". There was no memory to find out more: the rest of this report is empty.";
  return out;
}

}  // namespace

words_without_memory::words_without_memory()
    : deadlock_(only_a_sentence(deadlock_report::trouble::deadlock,
                                "Deadlock: nobody is left who could end what is waited for")),
      starved_(only_a_sentence(deadlock_report::trouble::starved,
                               "Starved: jobs are queued, no worker is free, and no more spare workers can be "
                               "started")),
      stalled_(only_a_sentence(deadlock_report::trouble::stalled,
                               "Stalled: no job has begun or ended for as long as stall_after, though jobs are "
                               "queued")),
      thrown_out_(
          "dozer: this wait was part of a deadlock, and the pool's handler wanted it to end; there was no memory to "
          "say "
          "what was waited for") {}

const deadlock_report& words_without_memory::of(deadlock_report::trouble what) const noexcept {
  switch (what) {
    case deadlock_report::trouble::starved:
      return starved_;
    case deadlock_report::trouble::stalled:
      return stalled_;
    default:
      return deadlock_;
  }
}

const words_without_memory& without_memory() {
  static const auto* const made = new words_without_memory;
  return *made;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
