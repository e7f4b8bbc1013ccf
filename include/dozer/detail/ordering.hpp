// How sorts call a user's comparison, and what they do for few elements.
#pragma once

#include <dozer/detail/kept_closure.hpp>
#include <dozer/detail/platform.hpp>
#include <dozer/detail/requirements.hpp>

#include <cstdint>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

namespace dozer::inline DOZER_PLATFORM::detail {

/// Whether one element comes before another. Copied freely: it holds small closures itself, and refers to large ones.
template <class Compare, class Proj>
struct before {
  in_block<Compare> compare;
  in_block<Proj> key;

  template <class A, class B>
  DOZER_HOT bool operator()(A&& a, B&& b) {
    return static_cast<bool>(
        std::invoke(compare, std::invoke(key, std::forward<A>(a)), std::invoke(key, std::forward<B>(b))));
  }
};

template <class I, class Compare, class Proj>
consteval bool needs_sortable() {
  static_assert(needs_movable_elements<I>());
  static_assert(needs_projection<Proj, I>());
  static_assert(needs_order<Compare, projected_t<I, Proj>>());
  return true;
}

/// An element that was taken out of the range. If an exception comes before put_back, it is put back to where the hole
/// is then.
template <class I>
class held_out {
 public:
  explicit held_out(I from) : hole_(from), value_(std::ranges::iter_move(from)) {}
  held_out(const held_out&) = delete;
  held_out& operator=(const held_out&) = delete;
  ~held_out() {
    if (is_out_) {
      try {
        *hole_ = std::move(value_);
      } catch (...) {  // another exception is under way; a valid object is in the hole all the same
      }
    }
  }

  /// The last step. A move that throws leaves the caller, as a comparison that throws does.
  void put_back() {
    is_out_ = false;
    *hole_ = std::move(value_);
  }

  [[nodiscard]] std::iter_value_t<I>& value() noexcept { return value_; }
  [[nodiscard]] I hole() const { return hole_; }
  /// Fills the hole from another place, which is the hole then.
  void fill_from(I other) {
    *hole_ = std::ranges::iter_move(other);
    hole_ = other;
  }

 private:
  I hole_;
  std::iter_value_t<I> value_;
  bool is_out_ = true;
};

/// Puts *at into the sorted elements before it. Returns how far it went.
template <class I, class Less>
std::uint64_t insert_into_sorted(I first, I at, Less& less) {
  I previous = at;
  if (!less(*at, *--previous)) {
    return 0;
  }
  held_out<I> taken(at);
  do {
    taken.fill_from(previous);
  } while (previous != first && less(taken.value(), *--previous));
  taken.put_back();
  return count_of(taken.hole(), at);
}

/// Stable.
template <class I, class Less>
void insertion_sort(I first, I last, Less less) {
  if (first != last) {
    for (I at = first; ++at != last;) {
      detail::insert_into_sorted(first, at, less);
    }
  }
}

/// For what seems to be sorted: gives up after a few moves. True: it is sorted now.
template <class I, class Less>
[[nodiscard]] bool sort_if_nearly_sorted(I first, I last, Less less) {
  constexpr std::uint64_t most = 8;
  std::uint64_t moved = 0;
  if (first != last) {
    for (I at = first; ++at != last;) {
      moved += detail::insert_into_sorted(first, at, less);
      if (moved > most) {
        return false;
      }
    }
  }
  return true;
}

/// By swaps only, so that a comparison may throw anywhere. Numbers have 64 bits: the children of an element may be
/// further away than the iterator's type can say.
template <class I, class Less>
void sift_down(I first, std::uint64_t at, std::uint64_t count, Less& less) {
  for (std::uint64_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && less(*after(first, child), *after(first, child + 1))) {
      ++child;
    }
    if (!less(*after(first, at), *after(first, child))) {
      return;
    }
    std::ranges::iter_swap(after(first, at), after(first, child));
  }
}

/// For inputs against which quicksort chooses badly.
template <class I, class Less>
void heap_sort(I first, I last, Less less) {
  const std::uint64_t count = count_of(first, last);
  for (std::uint64_t at = count / 2; at-- > 0;) {
    detail::sift_down(first, at, count, less);
  }
  for (std::uint64_t left = count; left > 1;) {
    --left;
    std::ranges::iter_swap(first, after(first, left));
    detail::sift_down(first, 0, left, less);
  }
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
