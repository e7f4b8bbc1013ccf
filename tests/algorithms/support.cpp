// Compiled once, not for each test that calls it.
#include "support.hpp"

#include <array>
#include <cstdlib>

namespace dozer_test {

void everywhere(const std::function<void()>& f) {
  static std::array<dozer::thread_pool, 3> pools{dozer::thread_pool(1), dozer::thread_pool(2), dozer::thread_pool(8)};
  f();
  for (dozer::thread_pool& pool : pools) {
    pool.install([&] {
      f();
      dozer::join(f, f);
      dozer::parallel_for(0, 3, [&](int) { f(); });
      dozer::isolate(f);
    });
  }
}

int failures_everywhere(const std::function<bool()>& holds) {
  std::atomic<int> failures{0};
  everywhere([&] { failures += holds() ? 0 : 1; });
  return failures.load();
}

void expect_two_at_once(const std::function<void(const std::function<void()>& meet)>& call) {
  dozer::thread_pool pool({.threads = 2});
  rendezvous two(2);
  pool.install([&] {
    call([&] {
      two.arrive();
      EXPECT_TRUE(eventually([&] { return two.all_here(); }));
    });
  });
}

bool check(const std::function<void()>& property) { return rc::check(property); }

bool check_slow(const std::function<void()>& property) {
  const char* const given = std::getenv("RC_PARAMS");
  if (given == nullptr) {
    setenv("RC_PARAMS", under_tsan || under_asan ? "max_success=8" : "max_success=50", 1);
  }
  const bool right = check(property);
  if (given == nullptr) {
    unsetenv("RC_PARAMS");
  }
  return right;
}

std::size_t any_size() {
  return *rc::gen::oneOf(rc::gen::element<std::size_t>(0, 1, 2, 3, 16, 17, 99, 100, 101, 255, 256, 257),
                         rc::gen::inRange<std::size_t>(0, 300), rc::gen::inRange<std::size_t>(0, 20'000));
}

dozer::loop_options any_options() { return {.grain = *rc::gen::element<std::size_t>(0, 0, 0, 1, 2, 7, 64, 1000)}; }

std::vector<int> any_numbers(std::size_t size, int below) {
  std::minstd_rand random(*rc::gen::inRange(1u, 1u << 30));
  std::vector<int> numbers(size);
  for (int& n : numbers) {
    n = static_cast<int>(random() % static_cast<unsigned>(below));
  }
  return numbers;
}

}  // namespace dozer_test
