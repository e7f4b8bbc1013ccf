// std::ranges::begin and its like, and the concepts of ranges. libstdc++ has them in <algorithm>, without the views of
// <ranges>, which cost a user's compiler 12 MiB.
#pragma once

#include <algorithm>

#if !defined(__GLIBCXX__)
#include <ranges>
#endif
