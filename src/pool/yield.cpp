#include <dozer/yield.hpp>

#include <dozer/detail/pool_core.hpp>
#include <dozer/detail/wait.hpp>

namespace dozer::inline DOZER_PLATFORM {

namespace {

yielded run_one(detail::entry (*find)(detail::seat&) noexcept) {
  detail::seat* const me = detail::current_seat();
  if (me == nullptr) {
    return yielded::not_a_worker;
  }
  const detail::entry found = detail::stack_is_short(*me) ? detail::entry() : find(*me);
  if (!found) {
    if (me->has_place) {  // not inside a declared wait
      me->pool->runs_another(*me);
    }
    return yielded::idle;
  }
  detail::run_in_between(*me, found);
  return yielded::executed;
}

}  // namespace

yielded yield_now() { return run_one(&detail::find_any_job); }

yielded yield_local() { return run_one(&detail::find_own_job); }

}  // namespace dozer::inline DOZER_PLATFORM
