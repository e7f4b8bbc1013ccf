// Merge sort on several threads, between the range and a buffer of the same size. Stable.
//
// Elements are in two places, and a comparison may throw. So each function has a place where its elements are to be
// when it ends, and brings them there whatever happens: if need be without a comparison.
#pragma once

#include <dozer/detail/blocks.hpp>
#include <dozer/detail/join_or_in_turn.hpp>
#include <dozer/detail/merging.hpp>
#include <dozer/detail/ordering.hpp>
#include <dozer/detail/quicksort.hpp>
#include <dozer/detail/raw_buffer.hpp>
#include <dozer/detail/requirements.hpp>
#include <dozer/detail/sort_cost.hpp>
#include <dozer/loop_options.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>

namespace dozer::inline DOZER_PLATFORM::detail {

/// The elements of a range in a buffer, as long as this lives; those of the range can be assigned to meanwhile. What is
/// copied as bytes are stays where it is, and the buffer is only room.
template <class I>
class moved_out {
 public:
  using value = std::iter_value_t<I>;
  static constexpr bool is_only_room = std::is_trivially_copyable_v<value>;

  /// Throws std::bad_alloc. Alone: without a loop in a pool.
  moved_out(I first, std::uint64_t count, bool alone)
      : buffer_(count, sizeof(value), alignof(value)), count_(count), alone_(alone) {
    if (buffer_.get() == nullptr) {
      throw std::bad_alloc();
    }
    if constexpr (!is_only_room) {
      if constexpr (!std::is_nothrow_move_constructible_v<value>) {
        alone = true;  // so that it is known what to destroy
      }
      for_all(count, alone, [&](std::uint64_t from, std::uint64_t to) {
        std::uninitialized_move(after(first, from), after(first, to), get() + from);
      });
    }
  }
  moved_out(const moved_out&) = delete;
  moved_out& operator=(const moved_out&) = delete;
  ~moved_out() {
    if constexpr (!std::is_trivially_destructible_v<value>) {
      for_all(count_, alone_, [&](std::uint64_t from, std::uint64_t to) { std::destroy(get() + from, get() + to); });
    }
  }

  [[nodiscard]] value* get() const noexcept { return static_cast<value*>(buffer_.get()); }

 private:
  template <class F>
  static void for_all(std::uint64_t count, bool alone, const F& f) {
    if (alone) {
      f(0, count);
    } else {
      for_blocks(count, f, {});
    }
  }

  raw_buffer buffer_;
  std::uint64_t count_;
  bool alone_;
};

template <class Less>
class parallel_merge_sort {
 public:
  parallel_merge_sort(Less less, const loop_options& options, sort_cost cost)
      : less_(less), options_(options), cost_(cost) {}

  /// Sorts what is at `from`; it ends up at `other`, or where it was.
  template <class From, class To>
  void sort(From from, To other, std::uint64_t count, bool to_other) const {
    const bool forks = !is_small(count);
    if (count <= 1 || (count <= insertion_most && !forks)) {
      if (to_other) {
        move_all(from, count, other);
        sort_few(other, count);
      } else {
        sort_few(from, count);
      }
      return;
    }
    try {
      sort_halves(from, other, count, !to_other, forks);
    } catch (...) {
      if (to_other) {
        move_all(from, count, other);
      } else {
        move_all(other, count, from);
      }
      throw;
    }
    const auto middle = static_cast<std::iter_difference_t<From>>(count / 2);
    if (to_other) {
      merge(merge_inputs<From, From>{from, from + middle, from + middle, after(from, count)}, other);
    } else {
      merge(merge_inputs<To, To>{other, other + middle, other + middle, after(other, count)}, from);
    }
  }

 private:
  [[nodiscard]] bool stopped() const noexcept { return options_.stop.stop_requested(); }
  [[nodiscard]] bool is_small(std::uint64_t count) const noexcept {
    return options_.grain != 0 ? count <= options_.grain : cost_.is_small_sort(count);
  }

  template <class I>
  void sort_few(I first, std::uint64_t count) const {
    if (!stopped()) {
      detail::insertion_sort(first, after(first, count), less_);
    }
  }
  template <class From, class To>
  static void move_all(From from, std::uint64_t count, To to) {
    std::move(from, after(from, count), to);
  }

  template <class From, class To>
  void sort_halves(From from, To other, std::uint64_t count, bool to_other, bool forks) const {
    const std::uint64_t half = count / 2;
    const auto left = [&] { sort(from, other, half, to_other); };
    const auto right = [&] { sort(after(from, half), after(other, half), count - half, to_other); };
    if (forks) {
      join_or_in_turn(left, right);
    } else {
      call_both(left, right);
    }
  }

  template <class From, class To>
  void merge(merge_inputs<From, From> in, To to) const {
    const std::uint64_t count = in.left();
    [[maybe_unused]] const To end = after(to, count);
    std::uint64_t from_a = 0;
    bool divided = false;
    try {
      Less less = less_;
      if (stopped() || in.a == in.a_end || in.b == in.b_end || !less(*in.b, *(in.a_end - 1))) {
        // as it is
      } else if (count <= 2 || (options_.grain != 0 ? count <= options_.grain : cost_.is_small_merge(count))) {
        if constexpr (can_merge_from_both_ends<From, To>) {
          if (detail::merge_from_both_ends(in, to, less)) {
            return;
          }
        } else {
          detail::merge_until(in, to, end, less, [](const auto& i) { return std::ranges::iter_move(i); });
        }
      } else {
        from_a = detail::cut_of(in, count / 2, less);
        divided = true;
      }
    } catch (...) {
      move_rest(in, to);
      throw;
    }
    if (divided) {
      const From a = after(in.a, from_a), b = after(in.b, count / 2 - from_a);
      join_or_in_turn(
          [&] {
            merge(merge_inputs<From, From>{in.a, a, in.b, b}, to);
          },
          [&] {
            merge(merge_inputs<From, From>{a, in.a_end, b, in.b_end}, after(to, count / 2));
          });
    } else {
      move_rest(in, to);
    }
  }
  template <class From, class To>
  static void move_rest(const merge_inputs<From, From>& in, To to) {
    std::move(in.b, in.b_end, std::move(in.a, in.a_end, to));
  }

  Less less_;
  const loop_options& options_;
  sort_cost cost_;
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
