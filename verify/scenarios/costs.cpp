// What things cost where nobody is in the way. Some bugs only burn time.
#include "scenarios.hpp"
#include "support.hpp"

namespace verify {

namespace {

/// What f() makes the calling thread do.
template <class F>
[[nodiscard]] machine::tally cost_of(F&& f) {
  const machine::tally before = on().did(on().self());
  f();
  const machine::tally after = on().did(on().self());
  return {after.wakes - before.wakes, after.rmws - before.rmws, after.fences - before.fences,
          after.allocations - before.allocations};
}

/// A thread that has everything to itself.
template <class F>
void alone(F f) {
  outside_after_go("alone", f);
  on().go();
  on().until_quiet();
}

/// A job of the only worker of a pool.
template <class F>
void in_the_only_worker(F f) {
  pool_core& pool = make_pool(1);
  const once& job = put_to_work(pool, f);
  begin(pool);
  rest_then([&] { expect_work_conserved(pool); });
  expect(job.ran(), "lost latch", "a job has not ended");
  expect_idle(pool);
}

}  // namespace

/// A lone job has one RMW to push and three to pop; the first behind a full inbox has the lock and the exchange as
/// well; on the way out the lock is for the first of a batch. Whoever finds nothing has none.
void injector_alone() {
  auto* const queue = new injector;
  auto* const jobs = new once[4];
  alone([queue, jobs] {
    const auto push = [&](unsigned which, std::uint32_t rmws) {
      expect(cost_of([&] { queue->push(jobs[which]); }).rmws == rmws, "cost of a queue", "a push has other RMWs");
    };
    const auto pop = [&](const once* what, std::uint32_t rmws) {
      const posted_job* got = nullptr;
      expect(cost_of([&] { got = queue->pop(); }).rmws == rmws, "cost of a queue", "a pop has other RMWs");
      expect(got == what, "order", "a pop does not bring the oldest job");
    };
    pop(nullptr, 0);
    push(0, 1);
    pop(&jobs[0], 3);
    pop(nullptr, 0);
    push(1, 1);
    push(2, 1);
    push(3, 4);
    pop(&jobs[1], 2);
    pop(&jobs[2], 1);
    pop(&jobs[3], 3);
  });
}

/// All mail that has come is taken in at once; whoever finds none has no RMW.
void mailbox_alone() {
  auto* const box = new mailbox;
  auto* const mail = new once[2];
  alone([box, mail] {
    const auto pop = [&](const once* what, std::uint32_t rmws) {
      const posted_job* got = nullptr;
      expect(cost_of([&] { got = box->pop(); }).rmws == rmws, "cost of a queue", "a pop of mail has other RMWs");
      expect(got == what, "order", "a pop does not bring the oldest mail");
    };
    const auto any = [](const posted_job&) { return true; };
    expect(cost_of([&] { static_cast<void>(box->pop_if(any)); }).rmws == 0, "cost of a queue",
           "a look for mail has an RMW");
    box->push(mail[0]);
    box->push(mail[1]);
    pop(&mail[0], 1);
    pop(&mail[1], 0);
    pop(nullptr, 0);
  });
}

/// Memory that a small job leaves is for the next one. Where some is kept already, it is given back without an RMW.
void spare_block_alone() {
  auto* const spare = new spare_block;
  alone([spare] {
    void* blocks[2];
    for (void*& block : blocks) {
      const machine::tally cost = cost_of([&] { block = spare->take(); });
      expect(cost.rmws == 0 && cost.allocations == 1, "cost of a job", "an RMW where no memory is kept");
    }
    expect(cost_of([&] { spare->give(blocks[0]); }).rmws == 1, "cost of a job", "memory is not kept by one RMW");
    expect(cost_of([&] { spare->give(blocks[1]); }).rmws == 0, "cost of a job", "an RMW where memory is kept already");
    const machine::tally cost = cost_of([&] { blocks[0] = spare->take(); });
    expect(cost.rmws == 1 && cost.allocations == 0, "cost of a job", "memory that was left is not used again");
    spare->give(blocks[0]);
  });
}

/// As join-alone, for a join of three, and for loops: of three, of more than are forked one by one, and in blocks; and
/// a spawn into a scope has nothing but the RMW that counts the job. A loop of one forks nothing, so it tells no
/// member.
void forks_alone() {
  in_the_only_worker([] {
    int ran = 0;
    const auto run = [&ran] { ++ran; };
    const machine::tally joined = cost_of([&] { dozer::join(run, run, run); });
    const machine::tally looped = cost_of([&] {
      dozer::parallel_for(0, 3, [&ran](int) { ++ran; });
      dozer::parallel_for(0, 5, [&ran](int) { ++ran; });
      dozer::parallel_for(0, 2, [&ran](int) { ++ran; }, {.grain = 1});
    });
    const machine::tally single = cost_of([&] { dozer::parallel_for(0, 1, [&ran](int) { ++ran; }); });
    machine::tally spawned;
    dozer::scope([&](dozer::spawner& s) { spawned = cost_of([&] { s.spawn(run); }); });
    expect(ran == 15, "job twice", "a closure ran not once");
    expect(single.rmws == 0 && single.fences == 0, "cost of a loop", "a loop of one has executed an RMW or a fence");
    if (now_set.process_fence) {  // else every fork has a fence
      expect(joined.rmws == 0 && joined.fences == 0, "cost of a join",
             "an unstolen join has executed an RMW or a fence");
      expect(looped.rmws == 0 && looped.fences == 0, "cost of a loop",
             "an unstolen loop has executed an RMW or a fence");
      expect(spawned.rmws == 1 && spawned.fences == 0, "cost of a spawn", "a spawn has more than the RMW of its scope");
    }
  });
}

}  // namespace verify
