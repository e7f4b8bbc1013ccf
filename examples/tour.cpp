// A tour of the library: what each part does, and how long it takes against serial code.
#include <dozer/dozer.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double cpu_milliseconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto ms = [](const timeval& t) {
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-3 * static_cast<double>(t.tv_usec);
  };
  return ms(used.ru_utime) + ms(used.ru_stime);
}

/// The best of three.
template <class F>
double best_time(F&& f) {
  double best = 1e300;
  for (int i = 0; i < 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    f();
    best = std::min(best, milliseconds_since(start));
  }
  return best;
}

void headline(const char* what) { std::printf("\n%s\n", what); }

template <class Serial, class Parallel>
void compare(const char* what, Serial&& serial, Parallel&& parallel) {
  const double s = best_time(serial);
  const double p = best_time(parallel);
  std::printf("  %-44s serial %8.2f ms   dozer %8.2f ms   %.2f x\n", what, s, p, s / p);
}

// ---- join ---------------------------------------------------------------------------------------

long serial_fib(int n) { return n < 2 ? n : serial_fib(n - 1) + serial_fib(n - 2); }

long fib(int n) {
  if (n < 16) {
    return serial_fib(n);
  }
  const auto [a, b] = dozer::join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

void quicksort(std::uint32_t* first, std::uint32_t* last) {
  if (last - first < 4096) {
    std::sort(first, last);
    return;
  }
  const std::uint32_t pivot = first[(last - first) / 2];
  std::uint32_t* const middle = std::partition(first, last, [pivot](std::uint32_t x) { return x < pivot; });
  std::uint32_t* const upper = std::partition(middle, last, [pivot](std::uint32_t x) { return x == pivot; });
  dozer::join([=] { quicksort(first, middle); }, [=] { quicksort(upper, last); });
}

void show_join() {
  headline("join: two closures, perhaps at the same time");
  volatile long sink = 0;
  compare(
      "fib(35), serial below 16", [&] { sink = serial_fib(35); }, [&] { sink = fib(35); });

  std::vector<std::uint32_t> numbers(2'000'000);
  std::mt19937 chance(1);
  std::generate(numbers.begin(), numbers.end(), chance);
  std::vector<std::uint32_t> copy;
  compare(
      "sorting 2,000,000 numbers",
      [&] {
        copy = numbers;
        std::sort(copy.begin(), copy.end());
      },
      [&] {
        copy = numbers;
        quicksort(copy.data(), copy.data() + copy.size());
      });
}

// ---- scope --------------------------------------------------------------------------------------

/// How often z -> z^2 + c stays small, over a picture of 600 x 400.
long mandelbrot_row(int y) {
  long inside = 0;
  for (int x = 0; x < 600; ++x) {
    const double cr = -2.0 + 3.0 * x / 600, ci = -1.0 + 2.0 * y / 400;
    double r = 0, i = 0;
    int n = 0;
    while (n < 300 && r * r + i * i < 4) {
      const double t = r * r - i * i + cr;
      i = 2 * r * i + ci;
      r = t;
      ++n;
    }
    inside += n == 300;
  }
  return inside;
}

void show_scope() {
  headline("scope: as many jobs as you like, all done when it ends");
  std::vector<long> rows(400);
  compare(
      "Mandelbrot, a job for each of 400 rows",
      [&] {
        for (int y = 0; y < 400; ++y) {
          rows[static_cast<std::size_t>(y)] = mandelbrot_row(y);
        }
      },
      [&] {
        dozer::scope([&](dozer::spawner& s) {
          for (int y = 0; y < 400; ++y) {
            s.spawn([&, y] { rows[static_cast<std::size_t>(y)] = mandelbrot_row(y); });
          }
        });
      });
}

// ---- worker_local, broadcast, futures -----------------------------------------------------------

void show_the_rest() {
  headline("worker_local: a counter for each member, combined at the end");
  dozer::worker_local<long> found;
  dozer::scope([&](dozer::spawner& s) {
    for (int y = 0; y < 400; ++y) {
      s.spawn([&, y] { found.local() += mandelbrot_row(y); });
    }
  });
  std::printf("  %ld points of the picture are in the set\n", found.combine([](long a, long b) { return a + b; }));

  headline("submit: a future, and what comes then");
  auto text = dozer::submit([] { return fib(25); }).then([](long n) { return "fib(25) is " + std::to_string(n); });
  std::printf("  %s\n", text.get().c_str());

  headline("broadcast: once in every seat");
  for (const std::string& line : dozer::broadcast([](dozer::broadcast_context c) {
         return "seat " + std::to_string(c.index()) + " of " + std::to_string(c.num_threads());
       })) {
    std::printf("  %s\n", line.c_str());
  }

  headline("exceptions: both sides of a join finish, then it leaves");
  try {
    dozer::join([] { throw std::runtime_error("something went wrong in the first closure"); },
                [] { std::printf("  the second closure ran all the same\n"); });
  } catch (const std::exception& e) {
    std::printf("  caught: %s\n", e.what());
  }
}

// ---- sleep --------------------------------------------------------------------------------------

void show_sleep() {
  headline("sleep: a pool of 8 that has nothing to do");
  dozer::thread_pool pool(8);
  pool.install([] { return fib(25); });
  while (pool.stats().asleep != 8) {
    std::this_thread::yield();
  }
  const double before = cpu_milliseconds();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  std::printf("  CPU used in one second by all 8 threads: %.3f ms\n", cpu_milliseconds() - before);

  std::vector<double> wakes;
  for (int i = 0; i < 101; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const auto start = std::chrono::steady_clock::now();
    std::atomic<double> started{0};
    pool.submit([&] { started = 1e3 * milliseconds_since(start); }).get();
    wakes.push_back(started);
  }
  std::nth_element(wakes.begin(), wakes.begin() + 50, wakes.end());
  std::printf("  a job into the sleeping pool starts after %.1f us (median of 101)\n", wakes[50]);

  constexpr int guests = 100'000;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < guests; ++i) {
    pool.install([] {});
  }
  std::printf("  install of an empty closure: %.0f ns, and nobody is woken\n",
              1e6 * milliseconds_since(start) / guests);

  const dozer::pool_stats stats = pool.stats();
  std::printf("  the pool so far: %llu jobs, %llu steals, %llu parks, %llu wakes sent, %llu of them fruitless\n",
              static_cast<unsigned long long>(stats.total.jobs), static_cast<unsigned long long>(stats.total.steals),
              static_cast<unsigned long long>(stats.total.parks),
              static_cast<unsigned long long>(stats.total.all_wakes_sent()),
              static_cast<unsigned long long>(stats.total.wakes_fruitless));
}

}  // namespace

int main() {
  std::printf("dozer runs on %u threads here (DOZER_THREADS=n changes that)\n", dozer::current_num_threads());
  show_join();
  show_scope();
  show_the_rest();
  show_sleep();
}
