// How often each digit occurs in each stretch of a range, and where those elements go.
#pragma once

#include <dozer/detail/platform.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace dozer::inline DOZER_PLATFORM::detail {

class digit_counts {
 public:
  /// Of the digit by which several threads distribute elements. More places to write to at a time are slower.
  static constexpr unsigned bits = 8;
  static constexpr std::size_t buckets = std::size_t{1} << bits;

  digit_counts(std::size_t count, std::size_t stretch);

  [[nodiscard]] std::size_t stretches() const noexcept { return rows_.size(); }
  /// The first element of a stretch; of the one after the last: how many there are.
  [[nodiscard]] std::size_t stretch_begin(std::size_t s) const noexcept { return std::min(s * stretch_, count_); }

  [[nodiscard]] std::size_t* of(std::size_t s) noexcept { return rows_[s].data(); }
  /// From then on the counts of a stretch are where its first element with that digit goes.
  void add_up() noexcept;
  [[nodiscard]] std::array<std::size_t, buckets> copy_of(std::size_t s) const noexcept { return rows_[s]; }
  /// Where a digit's elements begin, after add_up. For `buckets`: how many elements there are.
  [[nodiscard]] std::size_t begin_of(std::size_t bucket) const noexcept {
    return bucket == buckets ? count_ : rows_.front()[bucket];
  }

 private:
  std::size_t count_, stretch_;
  std::vector<std::array<std::size_t, buckets>> rows_;
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
