// Stress: random programs whose result is known, on pools far larger than the machine. Each is bounded in time and
// prints its seed.
#include "support.hpp"

#include <array>
#include <chrono>
#include <stdexcept>
#include <vector>

namespace {

using clock = std::chrono::steady_clock;

/// A random number generator that a program can split, so that what it computes does not depend on who runs it.
struct stream {
  std::uint64_t state;
  std::uint64_t next() {
    state += 0x9E3779B97F4A7C15u;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  stream split() { return {next()}; }
};

struct expected_failure : std::runtime_error {
  using runtime_error::runtime_error;
};

/// What runs the random program: serially, or forked.
struct serially {
  template <class A, class B>
  static std::pair<std::uint64_t, std::uint64_t> both(A a, B b) {
    std::uint64_t x = 0;
    std::exception_ptr error;
    try {
      x = a();
    } catch (...) {
      error = std::current_exception();
    }
    std::uint64_t y = 0;
    try {
      y = b();
    } catch (...) {
      if (!error) {
        error = std::current_exception();
      }
    }
    if (error) {
      std::rethrow_exception(error);
    }
    return {x, y};
  }
  template <class F>
  static std::uint64_t sum(int count, F f) {
    std::uint64_t total = 0;
    bool failed = false;
    for (int i = 0; i < count; ++i) {
      try {
        total += f(i);
      } catch (const expected_failure&) {
        failed = true;
      }
    }
    if (failed) {
      throw expected_failure("in a scope");
    }
    return total;
  }
  template <class F>
  static std::uint64_t later(F f) {
    return f();
  }
  template <class F>
  static std::uint64_t elsewhere(F f) {
    return f();
  }
};

struct forked {
  static inline std::array<dozer::thread_pool*, 2> pools{};

  template <class A, class B>
  static std::pair<std::uint64_t, std::uint64_t> both(A a, B b) {
    return dozer::join(a, b);
  }
  template <class F>
  static std::uint64_t sum(int count, F f) {
    std::atomic<std::uint64_t> total{0};
    const auto body = [&](dozer::spawner& s) {
      for (int i = 0; i < count; ++i) {
        s.spawn([&, i] { total += f(i); });
      }
    };
    count % 2 == 0 ? dozer::scope(body) : dozer::scope(dozer::fifo, body);
    return total;
  }
  template <class F>
  static std::uint64_t later(F f) {
    return dozer::submit(f).get();
  }
  template <class F>
  static std::uint64_t elsewhere(F f) {
    // Into the pool that this is not.
    const bool first = dozer::current_num_threads() == pools[0]->threads();
    return pools[first ? 1 : 0]->install(f);
  }
};

/// A random tree of joins, scopes, futures and other pools, with an exception now and then. Where several may be thrown
/// the type is the same, so that "the first one" needs no model.
template <class How>
std::uint64_t program(stream s, int depth, bool may_throw) {
  const std::uint64_t die = s.next() % 100;
  if (may_throw && die == 0) {
    throw expected_failure("at a leaf");
  }
  if (depth == 0) {
    return s.next() >> 8;
  }
  if (die < 60) {
    stream l = s.split(), r = s.split();
    const auto [a, b] = How::both([=] { return program<How>(l, depth - 1, may_throw); },
                                  [=] { return program<How>(r, depth - 1, may_throw); });
    return a ^ (b * 3);
  }
  if (die < 80) {
    const stream inner = s.split();
    return How::sum(2 + static_cast<int>(s.next() % 4), [=](int i) {
      return program<How>(stream{inner.state + static_cast<std::uint64_t>(i)}, depth - 1, may_throw);
    });
  }
  const stream inner = s.split();
  const auto once = [=] { return program<How>(inner, depth - 1, may_throw); };
  return die < 92 ? How::later(once) : How::elsewhere(once);
}

template <class How>
std::pair<bool, std::uint64_t> outcome_of(std::uint64_t seed, int depth, bool may_throw) {
  try {
    return {true, program<How>(stream{seed}, depth, may_throw)};
  } catch (const expected_failure&) {
    return {false, 0};
  }
}

class Stress : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Threads, Stress, testing::Values(1, 2, 8, 64, 256),
                         [](const auto& param) { return std::to_string(param.param); });

/// How long they run; that is no limit. On a busy machine there are fewer rounds, and each of them must hold.
constexpr auto how_long = std::chrono::milliseconds(1200);

TEST_P(Stress, RandomProgramsOfJoinsScopesFuturesAndPoolsInPools) {
  const std::uint64_t seed = dozer_test::seed();
  dozer::thread_pool pool(GetParam()), other(GetParam() == 2 ? 3 : 2);
  forked::pools = {&pool, &other};
  stream seeds{seed};
  const auto end = clock::now() + how_long;
  int programs = 0;
  do {
    const std::uint64_t which = seeds.next();
    const bool may_throw = which % 2 == 0;
    const auto expected = outcome_of<serially>(which, 8, may_throw);
    const auto got = pool.install([&] { return outcome_of<forked>(which, 8, may_throw); });
    ASSERT_EQ(got, expected) << "program " << which;
    ++programs;
  } while (clock::now() < end);
  EXPECT_GT(programs, 0);
}

TEST_P(Stress, ExternalProducersGuestsAndBroadcastsAtOnce) {
  const std::uint64_t seed = dozer_test::seed();
  std::atomic<std::uint64_t> posted{0}, ran{0};
  {
    dozer::thread_pool pool(GetParam());
    const auto end = clock::now() + how_long;
    std::vector<std::thread> outsiders;
    for (std::uint64_t t = 0; t < 4; ++t) {
      outsiders.emplace_back([&, t] {
        stream chance{seed + t};
        while (clock::now() < end) {
          switch (chance.next() % 8) {
            case 0:
              EXPECT_EQ(pool.install([] { return dozer_test::fib(8); }), 21);
              break;
            case 1:
              EXPECT_EQ(pool.submit([] { return 5; }).then([](int x) { return x + 1; }).get(), 6);
              break;
            case 2:
              if (GetParam() <= 8) {
                EXPECT_EQ(pool.broadcast([](dozer::broadcast_context c) { return c.index(); }).size(), GetParam());
              }
              break;
            case 3:
              std::this_thread::sleep_for(std::chrono::microseconds(chance.next() % 200));  // let some fall asleep
              break;
            case 4:
              posted += 3;
              pool.install([&] {
                dozer::spawn([&] { ++ran; });
                dozer::spawn(dozer::fifo, [&] { ++ran; });
                dozer::scope([&](dozer::spawner& s) { s.spawn([&] { ++ran; }); });
              });
              break;
            default:
              posted += 2;
              pool.spawn([&] {
                ++ran;
                dozer::spawn([&] { ++ran; });
              });
          }
        }
      });
    }
    for (std::thread& t : outsiders) {
      t.join();
    }
  }
  EXPECT_EQ(ran.load(), posted.load());
}

TEST_P(Stress, PoolsThatComeAndGoInsideJobs) {
  const std::uint64_t seed = dozer_test::seed();
  dozer::thread_pool outer(std::min(GetParam(), 8u));
  stream chance{seed};
  const auto end = clock::now() + how_long / 2;
  do {
    const unsigned inner_threads = GetParam() > 8 ? GetParam() : 1 + static_cast<unsigned>(chance.next() % 3);
    const auto [a, b] = outer.install([&] {
      const auto in_a_new_pool = [&] {
        dozer::thread_pool inner(inner_threads);
        inner.spawn([] {});
        return inner.install([] { return dozer_test::fib(9); });
      };
      return dozer::join(in_a_new_pool, in_a_new_pool);
    });
    ASSERT_EQ(a + b, 68);
  } while (clock::now() < end);
}

}  // namespace
