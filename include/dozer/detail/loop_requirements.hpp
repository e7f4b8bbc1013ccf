// What a loop asks of its range and its function. Each check fails with a line that names the requirement, where a
// constraint would only say that no function matches. So overloads are told apart by constraints, and arguments are
// judged here.
#pragma once

#include <dozer/detail/platform_name.hpp>

#include <iterator>
#include <type_traits>
#include <vector>

namespace dozer::inline DOZER_PLATFORM::detail {

/// Tells the overloads with two iterators from those with a range. Any pointer compares with a void*, and with nullptr:
/// that makes no range of them.
template <class I, class S>
concept iterator_pair = std::input_or_output_iterator<I> && std::sentinel_for<S, I> &&
    (!std::is_pointer_v<I> || std::is_class_v<S> || std::sized_sentinel_for<S, I>);

template <class I, class S>
consteval bool needs_random_access() {
  static_assert(std::random_access_iterator<I> && std::sized_sentinel_for<S, I>,
                "dozer: a parallel algorithm needs random access to its range, as a vector, deque, array, span or "
                "pointer gives; a list or a stream does not");
  return true;
}

/// For elements that are written, or given to a function that may do so. The reference tells also behind a view or a
/// reverse_iterator. That of a const vector<bool> is a bool.
template <class I>
consteval bool needs_separate_elements() {
  static_assert(!std::is_same_v<std::iter_reference_t<I>, std::vector<bool>::reference>,
                "dozer: elements of a vector<bool> share words, so threads cannot write them at the same time; use a "
                "vector<char>, or std::as_const to read them");
  return true;
}

template <class F, class... Args>
consteval bool needs_function() {
  static_assert(std::is_invocable_v<F&, Args...>,
                "dozer: the function must be callable with an element of the range (after the projection)");
  return true;
}

/// One index, two for a block or a cell of a grid, three for a cell in space.
template <class F, class... Indices>
consteval bool needs_function_of_indices() {
  static_assert(std::is_invocable_v<F&, Indices...>, "dozer: the function of a loop must be callable with its indices");
  return true;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
