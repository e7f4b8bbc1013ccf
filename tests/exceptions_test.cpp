// Exceptions that cross from one thread to another, each way that there is. The thread that catches one reads it, and
// with the handler's end its life ends: ThreadSanitizer does not see the reference count, which is in the standard
// library, and reports a race if another thread drops the last reference.
#include "support.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <vector>

namespace {

constexpr int rounds = 25;

/// Long enough to be on the heap.
struct failure {
  explicit failure(int n) : number(n), text("what went wrong in the job of number " + std::to_string(n)) {}
  int number;
  std::string text;
};

/// Calls f and reads the exception that leaves it; -1: none did.
template <class F>
int caught(F&& f) {
  try {
    f();
  } catch (const failure& e) {
    EXPECT_EQ(e.text, failure(e.number).text);
    return e.number;
  }
  return -1;
}

/// What on_unhandled is given, for another thread to read.
class handed_in {
 public:
  dozer::pool_options options(unsigned threads) {
    dozer::pool_options o;
    o.threads = threads;
    o.on_unhandled = [this](std::exception_ptr error) {
      const std::lock_guard hold(lock_);
      all_.push_back(std::move(error));
      came_.notify_one();
    };
    return o;
  }
  /// Waits for the next one, and reads it.
  int next() {
    std::unique_lock hold(lock_);
    came_.wait(hold, [&] { return !all_.empty(); });
    std::exception_ptr error = std::move(all_.back());
    all_.pop_back();
    hold.unlock();
    return caught([&] { std::rethrow_exception(std::move(error)); });
  }

 private:
  std::mutex lock_;
  std::condition_variable came_;
  std::vector<std::exception_ptr> all_;
};

TEST(Exceptions, LeaveAFuture) {
  dozer::thread_pool pool(2);
  for (int i = 0; i < rounds; ++i) {
    auto f = pool.submit([i] { throw failure(i); });
    EXPECT_EQ(caught([&] { f.get(); }), i);
  }
}

TEST(Exceptions, LeaveAFutureThatIsReady) {
  dozer::thread_pool pool(2);
  for (int i = 0; i < rounds; ++i) {
    auto f = pool.submit([i]() -> int { throw failure(i); });
    f.wait();
    EXPECT_EQ(caught([&] { static_cast<void>(f.get()); }), i);
  }
}

TEST(Exceptions, LeaveAFutureInAWorker) {
  dozer::thread_pool pool(2), other(1);
  for (int i = 0; i < rounds; ++i) {
    const int got = pool.submit([&] {
                          auto here = pool.submit([i] { throw failure(i); });
                          auto there = other.submit([i] { throw failure(i + 1); });
                          return caught([&] { here.get(); }) + caught([&] { there.get(); });
                        })
                        .get();
    EXPECT_EQ(got, 2 * i + 1);
  }
}

TEST(Exceptions, SkipContinuations) {
  dozer::thread_pool pool(2);
  for (int i = 0; i < rounds; ++i) {
    auto last =
        pool.submit([i]() -> int { throw failure(i); }).then([](int n) { return n + 1; }).then([](int n) { return n; });
    EXPECT_EQ(caught([&] { static_cast<void>(last.get()); }), i);
  }
}

TEST(Exceptions, LeaveAContinuation) {
  dozer::thread_pool pool(2);
  for (int i = 0; i < rounds; ++i) {
    auto f = pool.submit([i] { return i; }).then([](int n) { throw failure(n); });
    EXPECT_EQ(caught([&] { f.get(); }), i);
  }
}

TEST(Exceptions, LeaveACallIntoAnotherPool) {
  dozer::thread_pool pool(2), other(2);
  for (int i = 0; i < rounds; ++i) {
    EXPECT_EQ(pool.submit([&] { return caught([&] { other.install([i] { throw failure(i); }); }); }).get(), i);
  }
}

TEST(Exceptions, LeaveACallFromOutside) {
  dozer::thread_pool pool(2);
  for (int i = 0; i < rounds; ++i) {
    EXPECT_EQ(caught([&] { pool.install([i] { throw failure(i); }); }), i);
  }
}

/// So many that no seat is left, and most calls are handed over.
TEST(Exceptions, LeaveACallForWhichNoSeatIsLeft) {
  constexpr int outsiders = 8;
  dozer::pool_options options;
  options.threads = 1;
  options.extra_guests = 0;
  dozer::thread_pool pool(options);
  std::atomic<bool> begun{false}, go{false};
  std::vector<std::jthread> threads;
  std::atomic<int> sum{0};
  auto busy = pool.submit([&] {
    begun = true;
    while (!go) {
      std::this_thread::yield();
    }
  });
  ASSERT_TRUE(dozer_test::eventually([&] { return begun.load(); }));
  for (int i = 0; i < outsiders; ++i) {
    threads.emplace_back([&] { sum += caught([&] { pool.install([&] { throw failure(1); }); }); });
  }
  const auto handed_over = [&] { return dozer::detail::core_of(pool).injected.count(); };
  EXPECT_TRUE(dozer_test::eventually([&] { return handed_over() == outsiders; }));
  go = true;
  busy.get();
  threads.clear();
  EXPECT_EQ(sum, outsiders);
}

/// Waits until another thread has begun the other one.
void wait_for(const std::atomic<int>& begun, int how_many) {
  while (begun < how_many) {
    std::this_thread::yield();
  }
}

TEST(Exceptions, LeaveAJoinWhoseSecondHalfWasStolen) {
  dozer::thread_pool pool(2);
  for (int i = 0; i < rounds; ++i) {
    std::atomic<int> begun{0};
    EXPECT_EQ(pool.submit([&] {
                    return caught([&] {
                      dozer::join([&] { wait_for(begun, 1); },
                                  [&] {
                                    ++begun;
                                    throw failure(i);
                                  });
                    });
                  })
                  .get(),
              i);
  }
}

TEST(Exceptions, OfTheSecondHalfOfAJoinAreDroppedForThoseOfTheFirst) {
  dozer::thread_pool pool(2);
  for (int i = 0; i < rounds; ++i) {
    std::atomic<int> begun{0};
    EXPECT_EQ(pool.submit([&] {
                    return caught([&] {
                      dozer::join(
                          [&] {
                            wait_for(begun, 1);
                            throw failure(i);
                          },
                          [&] {
                            ++begun;
                            throw failure(-2);
                          });
                    });
                  })
                  .get(),
              i);
  }
}

TEST(Exceptions, LeaveAJoinOfMany) {
  dozer::thread_pool pool(3);
  for (int i = 0; i < rounds; ++i) {
    std::atomic<int> begun{0};
    const auto half = [&](int n) {
      return [&begun, n] {
        ++begun;
        throw failure(n);
      };
    };
    EXPECT_EQ(pool.submit([&] {
                    return caught([&] { dozer::join([&] { wait_for(begun, 1); }, half(i), half(i), half(i)); });
                  })
                  .get(),
              i);
  }
}

TEST(Exceptions, LeaveAScope) {
  dozer::thread_pool pool(3);
  for (int i = 0; i < rounds; ++i) {
    EXPECT_EQ(pool.submit([&] {
                    return caught([&] {
                      dozer::scope([&](dozer::spawner& s) {
                        for (int k = 0; k < 8; ++k) {
                          s.spawn([i] { throw failure(i); });
                        }
                      });
                    });
                  })
                  .get(),
              i);
  }
}

TEST(Exceptions, LeaveAFirstInFirstOutScope) {
  dozer::thread_pool pool(2);
  for (int i = 0; i < rounds; ++i) {
    std::atomic<int> begun{0};
    EXPECT_EQ(pool.submit([&] {
                    return caught([&] {
                      dozer::scope(dozer::fifo, [&](dozer::spawner& s) {
                        s.spawn([&] {
                          ++begun;
                          throw failure(i);
                        });
                        wait_for(begun, 1);
                      });
                    });
                  })
                  .get(),
              i);
  }
}

TEST(Exceptions, LeaveALoop) {
  dozer::thread_pool pool(3);
  for (int i = 0; i < rounds; ++i) {
    EXPECT_EQ(caught([&] { pool.install([&] { dozer::parallel_for(0, 200, [&](int) { throw failure(i); }); }); }), i);
  }
}

TEST(Exceptions, LeaveABroadcastAndTheLowestIndexWins) {
  dozer::thread_pool pool(3);
  for (int i = 0; i < rounds; ++i) {
    EXPECT_EQ(
        caught([&] { pool.broadcast([](dozer::broadcast_context c) { throw failure(static_cast<int>(c.index())); }); }),
        0);
    EXPECT_EQ(pool.submit([&] {
                    return caught([&] {
                      dozer::broadcast([](dozer::broadcast_context c) { throw failure(static_cast<int>(c.index())); });
                    });
                  })
                  .get(),
              0);
  }
}

TEST(Exceptions, OfDetachedJobsMayBeReadByAnotherThread) {
  handed_in errors;
  dozer::thread_pool pool(errors.options(2));
  for (int i = 0; i < rounds; ++i) {
    pool.spawn([i] { throw failure(i); });
    EXPECT_EQ(errors.next(), i);
  }
}

TEST(Exceptions, OfDroppedFuturesMayBeReadByAnotherThread) {
  handed_in errors;
  dozer::thread_pool pool(errors.options(2));
  for (int i = 0; i < rounds; ++i) {
    static_cast<void>(pool.submit([i] { throw failure(i); }));
    EXPECT_EQ(errors.next(), i);
    static_cast<void>(pool.submit([i]() -> int { throw failure(i); }).then([](int) {}));
    EXPECT_EQ(errors.next(), i);
  }
}

}  // namespace
