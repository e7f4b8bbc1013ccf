// What of a partition does not depend on the elements.
#include <dozer/detail/segments.hpp>

namespace dozer::inline DOZER_PLATFORM::detail {

void segments::close() {
  closed_.push_back(open_);
  open_ = {open_.last, open_.last, open_.last};
}

void segments::append_to(std::vector<segment>& all) const {
  all.insert(all.end(), closed_.begin(), closed_.end());
  all.push_back(open_);
}

swaps::swaps(const std::vector<segment>& all, std::uint64_t count) {
  for (const segment& s : all) {
    middle_ += s.middle - s.first;
  }
  std::uint64_t known_until = 0;  // up to here it is known what stands there
  for (const segment& s : all) {
    add(lower_, known_until, std::min(s.first, middle_));
    add(lower_, s.middle, std::min(s.last, middle_));
    add(upper_, std::max(s.first, middle_), s.middle);
    known_until = s.last;
  }
  add(lower_, known_until, std::min(count, middle_));
}

void swaps::add(std::vector<stretch>& to, std::uint64_t first, std::uint64_t last) {
  if (first < last) {
    const std::uint64_t end = to.back().number + (last - first);
    to.back().first = first;
    to.push_back({0, end});
  }
}

const swaps::stretch* swaps::find(const std::vector<stretch>& in, std::uint64_t number) noexcept {
  const auto behind =
      std::upper_bound(in.begin(), in.end(), number, [](std::uint64_t n, const stretch& s) { return n < s.number; });
  return &*std::prev(behind);
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
