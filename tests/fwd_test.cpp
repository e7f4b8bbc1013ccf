// <dozer/fwd.hpp> alone, and then beside the definitions: a name that meant two things would not compile.
#include <dozer/fwd.hpp>

namespace {

/// Mentions every type, as a header of a user would.
struct user {
  dozer::thread_pool* pool;
  dozer::pool_options* options;
  dozer::idle_options* idle;
  dozer::future<int>* result;
  dozer::worker_local<int>* local;
  dozer::named_closure<void (*)()>* named;
  dozer::spawner* spawner;
  dozer::fifo_t* fifo;
  dozer::fork_context* fork;
  dozer::broadcast_context* broadcast;
  dozer::blocking_scope* blocking;
  dozer::wait_slot* slot;
  dozer::external_token* token;
  dozer::mutex* mutex;
  dozer::mutex_guard* guard;
  dozer::condition_variable* condition;
  dozer::semaphore* semaphore;
  dozer::event* event;
  dozer::deadlock_report* report;
  dozer::deadlock_error* error;
  dozer::pool_stats* stats;
  dozer::member_stats* counts;
  dozer::member_snapshot* snapshot;
  dozer::wake_policy wake;
  dozer::search_policy search;
  dozer::fence_policy fences;
  dozer::yielded yielded;
  dozer::wait_kind kind;
  dozer::deadlock_action action;
  dozer::activity state;
  dozer::wait_reason why;
  dozer::wake_cause cause;
};

}  // namespace

#include <gtest/gtest.h>
#include <dozer/dozer.hpp>

namespace {

template <class... T>
constexpr bool complete(T*...) {
  return (... && (sizeof(T) > 0));
}

TEST(ForwardDeclarations, AreThoseOfTheDefinitions) {
  const user u{};
  static_assert(complete(decltype(u.pool){}, decltype(u.options){}, decltype(u.idle){}, decltype(u.result){},
                         decltype(u.local){}, decltype(u.named){}, decltype(u.spawner){}, decltype(u.fifo){},
                         decltype(u.fork){}, decltype(u.broadcast){}, decltype(u.blocking){}, decltype(u.slot){},
                         decltype(u.token){}, decltype(u.mutex){}, decltype(u.guard){}, decltype(u.condition){},
                         decltype(u.semaphore){}, decltype(u.event){}, decltype(u.report){}, decltype(u.error){},
                         decltype(u.stats){}, decltype(u.counts){}, decltype(u.snapshot){}));
  dozer::thread_pool pool(1);
  user mine{};
  mine.pool = &pool;
  EXPECT_EQ(mine.pool->install([] { return 1; }), 1);
}

}  // namespace
