// What a loop asks of elements that it lets threads write.
#pragma once

#include <dozer/detail/platform_name.hpp>

#include <iterator>
#include <type_traits>
#include <vector>

namespace dozer::inline DOZER_PLATFORM::detail {

/// For elements that are written, or given to a function that may do so. The reference tells also behind a view or a
/// reverse_iterator. That of a const vector<bool> is a bool.
template <class I>
consteval bool needs_separate_elements() {
  static_assert(!std::is_same_v<std::iter_reference_t<I>, std::vector<bool>::reference>,
                "dozer: elements of a vector<bool> share words, so threads cannot write them at the same time; use a "
                "vector<char>, or std::as_const to read them");
  return true;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
