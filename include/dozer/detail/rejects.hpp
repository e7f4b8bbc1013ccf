// Memory for the elements of a range that a stable partition takes out of it and puts back behind the others.
#pragma once

#include <dozer/detail/blocks.hpp>
#include <dozer/detail/chain.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/detail/sift.hpp>

#include <cstdint>
#include <iterator>
#include <memory>
#include <vector>

namespace dozer::inline DOZER_PLATFORM::detail {

/// The rejects of a chunk stand one after the other from where the chunk begins.
template <class T>
class rejects {
 public:
  explicit rejects(std::uint64_t count) : count_(count) {
    passed_.reserve(16);
    memory_ = std::allocator<T>().allocate(count);
  }
  rejects(const rejects&) = delete;
  ~rejects() { std::allocator<T>().deallocate(memory_, count_); }

  template <class I>
  void keep(std::uint64_t place, const I& at, const bool* noted, std::uint64_t count) {
    detail::pick<false>(at, noted, count, memory_ + place, move_into_memory);
  }
  /// The chunk will not have its turn. Its rejects go to the end of where it stood.
  template <class I>
  void put_back(chunk c, std::uint64_t to, const I& first) {
    put_back(c.first, c.last - to, after(first, to));
  }
  /// A chunk that has the turn.
  void pass(std::uint64_t from, std::uint64_t count) { passed_.push_back({from, count, 0}); }
  void amend(std::uint64_t count) noexcept { passed_.back().count = count; }

  /// Puts back the rejects of all chunks that have had their turn: they go to `to` and behind.
  template <class I>
  void put_all_back(const I& first, std::uint64_t to) {
    for (rejected& r : passed_) {
      r.to = to;
      to += r.count;
    }
    const auto each = [&](std::uint64_t from, std::uint64_t until) {
      for (; from != until; ++from) {
        put_back(passed_[from].from, passed_[from].count, after(first, passed_[from].to));
      }
    };
    count_ <= few_cheap_elements ? each(0, passed_.size()) : for_blocks(passed_.size(), each, {});
  }

 private:
  struct rejected {
    std::uint64_t from, count, to;
  };

  template <class I>
  void put_back(std::uint64_t from, std::uint64_t count, I to) {
    T* const at = memory_ + from;
    std::move(at, at + count, to);
    std::destroy_n(at, count);
  }

  std::uint64_t count_;
  T* memory_;
  std::vector<rejected> passed_;  // in order
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
