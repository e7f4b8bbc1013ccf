// The life of a pool: its start, its workers, its end.
#include <dozer/detail/pool_core.hpp>

#include <dozer/detail/abort.hpp>
#include <dozer/detail/wait.hpp>
#include <dozer/thread_pool.hpp>

#include "../deadlock/without_memory.hpp"
#include "../topology/topology.hpp"
#include "fork.hpp"
#include "name_thread.hpp"

#include <algorithm>
#include <iterator>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace dozer::inline DOZER_PLATFORM::detail {

namespace {

constexpr std::uint32_t gate_closed = 0, gate_open = 1, gate_cancelled = 2;

std::uint32_t jobs_event_counter_start() noexcept {
  const std::int64_t asked = hooks.jobs_event_counter_start.load(relaxed);  // relaxed: set by a test, before
  if (asked >= 0) {
    return static_cast<std::uint32_t>(asked);
  }
#if defined(NDEBUG)
  return 0;
#else
  return std::uint32_t{0} - 64;  // debug builds soon meet the wrap
#endif
}

std::uint32_t worker_count(const pool_options& options) {
  const unsigned wanted = options.threads != 0 ? options.threads : default_num_threads();
  if (wanted > max_num_threads()) {
    throw std::invalid_argument("dozer: a pool of " + std::to_string(wanted) + " threads was asked for, the most is " +
                                std::to_string(max_num_threads()));
  }
  return wanted;
}

/// A pinned worker has one processor, and can be kept off none.
idle_options idle_options_of(const pool_options& options) {
  idle_options out = options.idle;
  out.avoid_waker = out.avoid_waker && options.pin == pinning::none;
  return out;
}

std::vector<int> pins(pinning how) {
  return how == pinning::none ? std::vector<int>() : pinning_order(how, allowed_processors(), "");
}

}  // namespace

pool_core::pool_core(pool_options options, thread_pool* handle, std::uint32_t workers)
    : home(current_domain()),
      seats(workers, options.max_spares, options.extra_guests),
      sleep(home, seats, injected, isolated, idle_options_of(options), jobs_event_counter_start()),
      spare_workers(*this, options.max_spares),
      watching(*this),
      options_(std::move(options)),
      handle_(handle),
      workers_settings_(),
      pins_(pins(options_.pin)),
      threads_(new thread[workers]),
      registered_(home.pools.reserve()),
      generation_(fork_generation()) {
  for (std::uint32_t i = 0; i < seats.capacity(); ++i) {
    seats[i].pool = this;
    seats[i].sleep = &sleep;
    seats[i].hunger = &sleep.hunger();
    seats[i].turn = turn(options_.idle.deque_jobs_in_a_row, options_.idle.injected_jobs_in_a_row);
    seats[i].limited = options_.extra_guests == 0;
  }
}

pool_core* pool_core::start(pool_options options, thread_pool* handle) {
  const std::uint32_t workers = worker_count(options);
  auto* const made = new pool_core(std::move(options), handle, workers);
  try {
    made->start_workers();
  } catch (...) {
    delete made;
    throw;
  }
  return made;
}

// ---- starting -----------------------------------------------------------------------------------

void pool_core::start_workers() {
  keep_code_loaded();
  static_cast<void>(without_memory());  // may throw: so while there are no threads
  const std::uint32_t wanted = seats.workers();
  std::uint32_t made = 0;
  int error = 0;
  while (made < wanted) {
    error = threads_[made].start(&worker_main, &seats[made], options_.stack_size);
    if (error != 0) {
      break;
    }
    ++made;
  }
  const auto do_with_it = [&] { return error == 0 || (made > 0 && options_.allow_fewer_threads); };
  bool enough = do_with_it();
  if (enough) {
    seats.set_workers(made);
    if (options_.extra_guests == 0) {
      bodies.limit_to(made);
    }
    if (const int refused = watching.start()) {
      error = refused;
      enough = do_with_it();
    }
  }
  if (enough) {
    for (std::uint32_t i = 0; i < made; ++i) {
      sleep.born_asleep(seats[i]);
    }
    memory_.fetch_add(1 + std::int64_t{made}, relaxed);  // the handle and each worker  relaxed: the gate publishes it
    working_.store(made, relaxed);                       // relaxed: the gate publishes it
    pool_registry::show(registered_, *this);             // from here on anybody may look
  }
  gate_.store(enough ? gate_open : gate_cancelled, release);  // pairs: pool.gate (workers)
  unpark_all(&gate_, channel::first);
  if (!enough) {
    for (std::uint32_t i = 0; i < made; ++i) {
      threads_[i].join();
    }
    throw std::system_error(
        error, std::generic_category(),
        "dozer: the system gave " + std::to_string(made) + " of " + std::to_string(wanted) +
            " threads and then refused" +
            (options_.stack_size != 0 ? " (stack_size " + std::to_string(options_.stack_size) + ")" : std::string()));
  }
}

void pool_core::worker_main(void* raw) noexcept {
  seat& me = *static_cast<seat*>(raw);
  pool_core& pool = *me.pool;
  std::uint32_t gate = gate_closed;
  while ((gate = pool.gate_.load(acquire)) == gate_closed) {  // pairs: pool.gate (start_workers)
    park(pool.gate_, gate_closed, channel::first);
  }
  if (gate == gate_open) {
    pool.work(me);
  }
}

void pool_core::work(seat& me) noexcept {
  name_thread(options_.name, "-", me.index);
  if (!pins_.empty()) {
    const int processor = pins_[me.index % pins_.size()];
    if (pin_thread(processor)) {
      me.pinned_to.set(processor);
    }
  }
  // The callbacks run as a thread of no pool: the seat is asleep, and perhaps lent, at the start, and nobody's at the
  // end.
  if (options_.on_thread_start) {
    options_.on_thread_start(me.index);
  }
  sit_down(me);
  me.worker.set(thread_number());
  live(me);
  me.state.set(activity::vacant);
  get_up();
  if (options_.on_thread_exit) {
    options_.on_thread_exit(me.index);
  }
  if (working_.fetch_sub(1, acq_rel) == 1) {  // pairs: pool.ended (the other workers)
    spare_workers.wait_until_gone();
    if (ended_ != nullptr) {
      ended_->set(nullptr);
    }
  }
  domain& last = home;
  let_go_of_memory();
  last.leave();
}

// ---- ending -------------------------------------------------------------------------------------

bool pool_core::try_hold(std::int64_t times) noexcept {
  std::int64_t seen = holds_.load(relaxed);  // relaxed: the exchange checks it
  while (seen != 0) {
    if (holds_.compare_exchange_weak(seen, seen + times, relaxed, relaxed)) {  // relaxed: as in hold()
      return true;
    }
  }
  return false;
}

void pool_core::let_go_soon(seat& here) noexcept {
  if (here.guest || here.index >= seats.workers()) {
    let_go();  // it may leave its seat without having searched
  } else {
    ++here.holds_put_off;
  }
}

void pool_core::give_soon(seat& here, void* block) noexcept {
  if (here.guest || here.index >= seats.workers()) {
    spare_.give(block);
  } else {
    ::operator delete(std::exchange(here.block_put_off, block));
  }
}

void pool_core::settle_all(seat& me) noexcept {
  if (me.block_put_off != nullptr) {
    spare_.give(std::exchange(me.block_put_off, nullptr));
  }
  let_go(static_cast<std::int64_t>(std::exchange(me.holds_put_off, 0)));
}

/// By the handle, while it still holds the pool. From now on all holds are in one count.
void pool_core::shut_doors() noexcept {
  for (door& d : doors_) {
    if (d.shut()) {
      settle(d);
    }
  }
}

bool pool_core::somebody_posts() const noexcept {
  return std::any_of(std::begin(doors_), std::end(doors_), [](const door& d) { return d.somebody_inside(); });
}

void pool_core::stop_workers() noexcept {
  spare_workers.send_home();  // first: the last worker waits until they are gone
  for (std::uint32_t i = 0; i < seats.workers(); ++i) {
    seat& s = seats[i];
    if (s.stop.set()) {
      sleep.wake_seat(s, nullptr, wake_cause::latch_set);
    }
  }
  watching.stop();
  let_go_of_memory();  // the share of all holds together
}

void pool_core::end() noexcept {
  if (left_behind_by_fork()) {
    keep_reachable(this);  // its threads are the parent's: nothing here can be joined or freed safely
    return;
  }
  // The handler's thread looks at the pool, or would join itself.
  if (in_on_deadlock.get() == thread_number()) {
    abort_with(
        "a pool was destroyed by its own on_deadlock handler: let another thread do it, once the handler is over");
  }
  if (in_on_stall.get() == thread_number()) {
    abort_with("a pool was destroyed by its own on_stall handler: let another thread do it, once the handler is over");
  }
  seat* const me = current_seat();
  const bool inside = me != nullptr && me->pool == this;
  if (inside && me->guest) {
    abort_with("a pool was destroyed by a guest of its own (inside install, join or scope)");
  }
  if (inside) {
    handle_.set(nullptr);
  }
  std::optional<outside_wait> shown;
  if (!inside) {
    watching.end_is_awaited();
    shown.emplace(doing_now{.what = this, .why = wait_reason::pool_end});
  }
  shut_doors();
  if (me != nullptr && !inside) {
    // A member of another pool helps at home meanwhile: the jobs that are left here may need it.
    caller_latch ended;
    ended_ = &ended;
    let_go();
    ended.wait(wait_reason::pool_end, this);
  } else {
    let_go();
  }
  for (std::uint32_t i = 0; i < seats.workers(); ++i) {
    // A worker cannot wait for itself: then nobody is waited for, and the last to leave frees the pool.
    inside ? threads_[i].detach() : threads_[i].join();
  }
  watching.finish(!inside);
  shown.reset();
  let_go_of_memory();  // the handle's share
}

void pool_core::unhandled(std::exception_ptr error) noexcept {
  if (!options_.on_unhandled) {
    std::rethrow_exception(std::move(error));  // out of a noexcept function: std::terminate, with the exception in hand
  }
  options_.on_unhandled(std::move(error));
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
