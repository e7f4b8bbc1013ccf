// The counts of a histogram.
#pragma once

#include <dozer/detail/platform.hpp>
#include <dozer/detail/short_lock.hpp>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace dozer::inline DOZER_PLATFORM::detail {

using bin_counts = std::vector<std::uint64_t>;

[[noreturn]] DOZER_COLD void throw_no_such_bin(std::uint64_t bin, bool negative, std::uint64_t bins);

/// The bin as a number below `bins`.
template <class Bin>
[[nodiscard]] DOZER_HOT std::uint64_t checked_bin(Bin bin, std::uint64_t bins) {
  const auto number = static_cast<std::uint64_t>(bin);
  if (number >= bins) [[unlikely]] {
    throw_no_such_bin(number, bin < Bin{0}, bins);
  }
  return number;
}

struct count_set {
  bin_counts values;
  std::unique_ptr<count_set> next;
};

/// Sets of counts, one for each thread that counts, so that no two write to the same one.
class count_sets {
 public:
  explicit count_sets(std::uint64_t bins) noexcept : bins_(bins) {}

  /// A set that only its borrower writes to. `usual`: the one that it had last, if there was one. It gets that again if
  /// it can, since its thread has that in its cache.
  class loan {
   public:
    loan(count_sets& from, const count_set*& usual) : from_(from), set_(from.lend(usual)) { usual = set_.get(); }
    loan(const loan&) = delete;
    ~loan() { from_.give_back(std::move(set_)); }
    [[nodiscard]] std::uint64_t* data() const noexcept { return set_->values.data(); }

   private:
    count_sets& from_;
    std::unique_ptr<count_set> set_;
  };

  /// All sets together, when none is lent.
  [[nodiscard]] bin_counts sum();

 private:
  [[nodiscard]] std::unique_ptr<count_set> lend(const count_set* usual);
  void give_back(std::unique_ptr<count_set> set) noexcept;

  std::uint64_t bins_;
  short_lock lock_;
  std::unique_ptr<count_set> free_;
};

/// With fewer elements for each bin, sets cost more than they save.
inline constexpr std::uint64_t elements_for_a_bin = 8;
/// They stay in the cache until they are counted.
inline constexpr std::uint64_t numbers_at_a_time = 1 << 18;

}  // namespace dozer::inline DOZER_PLATFORM::detail
