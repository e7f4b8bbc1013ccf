// Some elements of a range, in order or apart from the others, and how many there are of each kind.
#include <dozer/dozer.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <random>
#include <vector>

int main() {
  std::vector<std::uint32_t> dice(1'000'000);
  std::mt19937 chance(1);
  std::generate(dice.begin(), dice.end(), [&] { return 1 + chance() % 6; });
  const auto is_six = [](std::uint32_t n) { return n == 6; };

  // How often each number came up. Bin 0 stays empty.
  const std::vector<std::uint64_t> counts = dozer::histogram(dice, 7, [](std::uint32_t n) { return n; });
  bool right =
      counts[0] == 0 && counts[6] == static_cast<std::uint64_t>(std::count_if(dice.begin(), dice.end(), is_six));

  // The output must have room before the call: a parallel algorithm cannot append.
  std::vector<std::uint32_t> sixes(counts[6]);
  right = right && dozer::copy_if(dice, sixes.begin(), is_six) == sixes.end() &&
          std::all_of(sixes.begin(), sixes.end(), is_six);

  // Runs of the same number become one; what is behind the returned end is to be cut off, as with std::unique.
  auto runs = dice;
  runs.erase(dozer::unique(runs), runs.end());
  std::vector<std::uint32_t> expected;
  std::unique_copy(dice.begin(), dice.end(), std::back_inserter(expected));
  right = right && runs == expected;

  // The sixes first, the others behind them, both in their order.
  const auto others = dozer::stable_partition(dice, is_six);
  right = right && others - dice.begin() == static_cast<std::ptrdiff_t>(sixes.size()) &&
          std::none_of(others, dice.end(), is_six);

  dice.erase(dozer::remove_if(dice, is_six), dice.end());
  right = right && dice.size() + sixes.size() == 1'000'000 && std::none_of(dice.begin(), dice.end(), is_six);

  std::printf("%zu sixes, %zu runs, %s\n", sixes.size(), runs.size(), right ? "as in serial" : "WRONG");
  return right ? 0 : 1;
}
