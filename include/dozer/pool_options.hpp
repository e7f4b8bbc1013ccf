// What a pool can be told when it is made.
#pragma once

#include <dozer/idle_options.hpp>

#include <cstddef>
#include <exception>
#include <functional>
#include <string>

namespace dozer::inline DOZER_PLATFORM {

struct pool_options {
  unsigned threads = 0;                                       ///< how many run at once; 0: DOZER_THREADS, else what affinity and cgroup allow
  std::string name = "dozer";                                 ///< worker i is called <name>-<i>
  std::size_t stack_size = 0;                                 ///< of the workers; 0: the system's default
  std::function<void(unsigned)> on_thread_start = {};         ///< in each worker, with its index; must not throw
  std::function<void(unsigned)> on_thread_exit = {};          ///< likewise
  std::function<void(std::exception_ptr)> on_unhandled = {};  ///< of detached jobs; default std::terminate; must not throw
  bool allow_fewer_threads = false;                           ///< if the system refuses some, do with those it gave
  idle_options idle = {};                                     ///< how members search, sleep and wake
};

}  // namespace dozer::inline DOZER_PLATFORM
