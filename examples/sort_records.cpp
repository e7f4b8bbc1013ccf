// Records sorted by a member, twice so that the first order holds among equal ones; a median without a sort.
#include <dozer/dozer.hpp>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace {

struct order {
  std::string customer;
  int day;
  double price;
  int number;  // as they came in
  friend bool operator==(const order&, const order&) = default;
};

}  // namespace

int main() {
  std::vector<order> orders(200'000);
  std::mt19937 chance(1);
  int number = 0;
  for (order& o : orders) {
    o = {"customer " + std::to_string(chance() % 500), static_cast<int>(chance() % 365),
         static_cast<double>(chance() % 100'000) / 100, number++};
  }
  auto expected = orders;

  // By day, the latest first. The projection says by what: {} stands for std::ranges::less.
  dozer::sort(orders, std::greater<>(), &order::day);
  bool right = dozer::is_sorted(orders, std::greater<>(), &order::day);

  // By price, then by customer: among those of a customer the prices stay in order.
  orders = expected;
  dozer::stable_sort(orders, {}, &order::price);
  dozer::stable_sort(orders, {}, &order::customer);
  std::ranges::sort(expected, {}, [](const order& o) { return std::tie(o.customer, o.price, o.number); });
  right = right && orders == expected;

  // The median price: nth_element puts it in its place and sorts no further.
  const auto middle = orders.begin() + static_cast<std::ptrdiff_t>(orders.size() / 2);
  dozer::nth_element(orders, middle, {}, &order::price);
  const double median = middle->price;
  std::ranges::sort(expected, {}, &order::price);
  right = right && median == expected[expected.size() / 2].price;

  // The three dearest ones.
  dozer::partial_sort(orders, orders.begin() + 3, std::greater<>(), &order::price);
  right = right && orders[2].price == expected[expected.size() - 3].price;

  std::printf("the median price is %.2f, the dearest order %.2f, %s\n", median, orders[0].price,
              right ? "as in serial" : "WRONG");
  return right ? 0 : 1;
}
