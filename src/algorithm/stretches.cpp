// What of a parallel partition does not depend on its elements.
#include <dozer/detail/stretches.hpp>

#include <numeric>

namespace dozer::inline DOZER_PLATFORM::detail {

wrong_stretches::wrong_stretches(const std::vector<std::uint64_t>& in_front, std::uint64_t stretch, std::uint64_t count)
    : split_(std::accumulate(in_front.begin(), in_front.end(), std::uint64_t{0})) {
  std::uint64_t begin = 0;
  for (const std::uint64_t here : in_front) {
    const std::uint64_t end = std::min(begin + stretch, count);
    add(front_, begin + here, std::min(end, split_));
    add(back_, std::max(begin, split_), begin + here);
    begin = end;
  }
  count_ = front_.empty() ? 0 : front_.back().until;
}

void wrong_stretches::add(std::vector<run>& to, std::uint64_t first, std::uint64_t last) {
  if (first < last) {
    to.push_back({(to.empty() ? 0 : to.back().until) + (last - first), last});
  }
}

std::vector<wrong_stretches::run>::const_iterator wrong_stretches::find(const std::vector<run>& in,
                                                                        std::uint64_t number) {
  return std::upper_bound(in.begin(), in.end(), number, [](std::uint64_t n, const run& r) { return n < r.until; });
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
