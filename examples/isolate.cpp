// A lock held across a parallel region. A worker that waits runs other jobs meanwhile, and one of them may want the
// very same lock: then it waits for itself. With isolate it runs only what belongs to the region.
//
// isolate          works
// isolate without  shows the deadlock in place of it, reports it and ends
#include <dozer/dozer.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <thread>

namespace {

dozer::mutex cache_lock("cache");
std::map<int, int> cache;
std::atomic<bool> second_half_runs{false}, other_is_queued{false};
std::atomic<int> look_ups{0};

int first_half(int key) {
  while (!second_half_runs || !other_is_queued) {
    std::this_thread::yield();
  }
  return key;
}

/// By another worker, and it takes longer: so the first one has to wait. Without isolate, until it runs the other
/// look-up.
int second_half(int key, bool isolated) {
  second_half_runs = true;
  while (!other_is_queued || (!isolated && look_ups != 2)) {
    std::this_thread::yield();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  return 10 * key;
}

int compute(int key, bool isolated) {
  const auto [a, b] = dozer::join([&] { return first_half(key); }, [&] { return second_half(key, isolated); });
  return a + b;
}

int look_up(int key, bool isolated) {
  ++look_ups;
  const dozer::mutex_guard hold(cache_lock);
  if (const auto found = cache.find(key); found != cache.end()) {
    return found->second;
  }
  return cache[key] = isolated ? dozer::isolate([&] { return compute(key, isolated); }) : compute(key, isolated);
}

}  // namespace

int main(int argc, char** argv) {
  const bool without = argc == 2 && std::strcmp(argv[1], "without") == 0;
  if (argc > 1 && !without) {
    std::fprintf(stderr, "usage: %s [without]\n", argv[0]);
    return 2;
  }
  dozer::thread_pool pool({.threads = 2, .on_deadlock = [](const dozer::deadlock_report& report) {
                             std::printf("%s", report.to_string().c_str());
                             std::fflush(stdout);
                             std::_Exit(0);
                             return dozer::deadlock_action::abort;
                           }});
  auto one = pool.submit(dozer::named("look up", [&] { return look_up(1, !without); }));
  while (!second_half_runs) {
    std::this_thread::yield();
  }
  auto same = pool.submit(dozer::named("look up again", [&] { return look_up(1, !without); }));
  other_is_queued = true;
  std::printf("%d, and again %d: no deadlock\n", one.get(), same.get());
}
