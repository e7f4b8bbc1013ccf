// Loops back to back inside a pool: cheap ones, and ones whose iterations cost very different times. Usage:
// PROGRAM THREADS CASE.
#pragma once

#include <time.h>

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "../harness.hpp"
#include "../unbalanced/unbalanced.hpp"

/// What a runtime may want to know of a loop.
enum class cost { even, uneven };

/// About 0.1 ms of computing.
inline void loops_dear() { unbalanced_body(80'000); }

inline void loops_sleep_5_ms() {
  const timespec how_long{0, 5'000'000};
  nanosleep(&how_long, nullptr);
}

/// out[k] = in[k] + 1, `times` times.
template <class Run>
int measure_map(std::size_t count, int times, const Run& run) {
  std::vector<long> from(count, 1), to(count);
  const auto work = [&](const auto& loop) {
    for (int i = 0; i < times; ++i) {
      loop(
          count, [in = from.data(), out = to.data()](std::size_t k) { out[k] = in[k] + 1; }, cost::even);
    }
  };
  const int code = bench::measure(1, [&] {
    run(work);
    return 1;
  });
  if (to != std::vector<long>(count, 2)) {
    std::fprintf(stderr, "wrong\n");
    return 1;
  }
  return code;
}

/// Each iteration of a million throws, or only the first one does.
template <class Run>
int measure_throws(bool all, const Run& run) {
  return bench::measure(1, [&] {
    int caught = 0;
    run([&](const auto& loop) {
      try {
        loop(
            1'000'000,
            [all](std::size_t k) {
              if (all || k == 0) {
                throw std::runtime_error("stop");
              }
              asm volatile("");
            },
            cost::even);
      } catch (const std::runtime_error&) {
        ++caught;
      }
    });
    return caught;
  });
}

/// A hundred tiny loops of two, and then one of two bodies of 50 ms, all with the same type of body.
template <class Run>
int measure_two_long(const Run& run) {
  return bench::measure(1, [&] {
    run([](const auto& loop) {
      const std::function<void(std::size_t)> tiny = [](std::size_t) {};
      const std::function<void(std::size_t)> dear = [](std::size_t) {
        for (int i = 0; i < 500; ++i) {
          loops_dear();
        }
      };
      for (int i = 0; i < 100; ++i) {
        loop(2, tiny, cost::uneven);
      }
      loop(2, dear, cost::uneven);
    });
    return 1;
  });
}

/// run(work) calls work(loop) inside a pool; loop(count, body, cost) calls body(i) for each i below count.
template <class Run>
int measure_loops(int argc, char** argv, const Run& run) {
  const auto measure = [&](const auto& work) {
    return bench::measure(1, [&] {
      run(work);
      return 1;
    });
  };
  const std::string_view wanted = argc == 3 ? argv[2] : "";
  if (wanted == "map-10000") {
    return measure_map(10'000, 20'000, run);
  }
  if (wanted == "map-16384") {
    return measure_map(16'384, 10'000, run);
  }
  if (wanted == "map-100000") {
    return measure_map(100'000, 2000, run);
  }
  if (wanted == "map-10000000") {
    return measure_map(10'000'000, 10, run);
  }
  if (wanted == "upper-half") {
    return measure([](const auto& loop) {
      loop(
          64,
          [](std::size_t k) {
            for (int i = 0; k >= 32 && i < 50; ++i) {
              loops_dear();
            }
          },
          cost::uneven);
    });
  }
  if (wanted == "last-thousand") {
    return measure([](const auto& loop) {
      loop(
          1'000'000,
          [](std::size_t k) {
            if (k >= 999'000) {
              loops_dear();
            }
          },
          cost::uneven);
    });
  }
  if (wanted == "last-sleep") {
    return measure([](const auto& loop) {
      loop(
          1'000'000,
          [](std::size_t k) {
            if (k >= 999'936) {
              loops_sleep_5_ms();
            }
          },
          cost::uneven);
    });
  }
  if (wanted == "at-first" || wanted == "after-cheap") {
    return measure([cheap = wanted == "after-cheap" ? 40 : 0](const auto& loop) {
      for (int i = 0; i <= cheap; ++i) {
        loop(
            200,
            [is_dear = i == cheap](std::size_t k) {
              if (is_dear && k >= 100 && k < 173) {
                loops_dear();
              }
            },
            cost::uneven);
      }
    });
  }
  if (wanted == "two-long") {
    return measure_two_long(run);
  }
  if (wanted == "each-throws" || wanted == "first-throws") {
    return measure_throws(wanted == "each-throws", run);
  }
  std::fprintf(stderr,
               "usage: %s THREADS map-10000|map-16384|map-100000|map-10000000|upper-half|last-thousand|last-sleep|"
               "at-first|after-cheap|two-long|each-throws|first-throws\n",
               argv[0]);
  return 2;
}
