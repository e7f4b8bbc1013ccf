// The first element of a kind, how many there are, and whether two ranges are equal.
#include <dozer/dozer.hpp>

#include <algorithm>
#include <cstdio>
#include <ranges>
#include <string>
#include <vector>

namespace {

struct person {
  std::string name;
  int born;
};

bool is_prime(int n) {
  for (int d = 2; d * d <= n; ++d) {
    if (n % d == 0) {
      return false;
    }
  }
  return n > 1;
}

}  // namespace

int main() {
  std::vector<person> people(200'000);
  for (std::size_t i = 0; i < people.size(); ++i) {
    people[i] = {"person " + std::to_string(i), 1920 + static_cast<int>(i % 107)};
  }

  // A projection says which member is meant. Of several hits the first one is returned, as in std.
  const auto found = dozer::find(people, 2026, &person::born);
  const auto born_in_1970 = dozer::count(people, 1970, &person::born);
  const auto [oldest, youngest] = dozer::minmax_element(people, {}, &person::born);
  bool right = found == std::ranges::find(people, 2026, &person::born) &&
               born_in_1970 == std::ranges::count(people, 1970, &person::born) && oldest->born == 1920 &&
               youngest->born == 2026;

  // The search ends soon after the first hit. Numbers behind it may be tested, too, if their turn came before.
  const auto numbers = std::views::iota(10'000'000, 20'000'000);
  const int prime = *dozer::find_if(numbers, is_prime);
  right = right && prime == *std::ranges::find_if(numbers, is_prime);

  const auto primes = dozer::count_if(std::views::iota(0, 100'000), is_prime);
  right = right && primes == 9592 && dozer::none_of(std::views::iota(24, 29), is_prime);

  auto others = people;
  right = right && dozer::equal(people, others, {}, &person::name, &person::name);
  others[150'000].name = "another one";
  const auto [mine, other] = dozer::mismatch(people, others, {}, &person::name, &person::name);
  right = right && mine - people.begin() == 150'000 && other->name == "another one";

  std::printf("the first prime from 10,000,000 on is %d, there are %td below 100,000, %s\n", prime, primes,
              right ? "as in serial" : "WRONG");
  return right ? 0 : 1;
}
