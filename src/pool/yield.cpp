#include <dozer/yield.hpp>

#include <dozer/detail/wait.hpp>

namespace dozer::inline DOZER_PLATFORM {

namespace {

yielded run_one(detail::job* (*find)(detail::seat&)) {
  detail::seat* const me = detail::current_seat();
  if (me == nullptr) {
    return yielded::not_a_worker;
  }
  detail::job* const j = find(*me);
  if (j == nullptr) {
    return yielded::idle;
  }
  detail::run_job(*me, *j);
  return yielded::executed;
}

}  // namespace

yielded yield_now() { return run_one(&detail::find_any_job); }

yielded yield_local() {
  return run_one([](detail::seat& me) { return detail::find_own_job(me); });
}

}  // namespace dozer::inline DOZER_PLATFORM
