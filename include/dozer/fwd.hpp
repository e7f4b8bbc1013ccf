// Declares the types of dozer, for headers that only mention them.
#pragma once

#include <dozer/detail/platform_name.hpp>

#include <cstdint>

namespace dozer::inline DOZER_PLATFORM {

class thread_pool;
class pool_stay;
struct pool_options;
struct idle_options;
enum class wake_policy : std::uint8_t;
enum class search_policy : std::uint8_t;
enum class pinning : std::uint8_t;
enum class fence_policy : std::uint8_t;

template <class T>
class future;
template <class T>
class worker_local;
template <class F>
struct named_closure;
class spawner;
struct fifo_t;
struct loop_options;
class fork_context;
class broadcast_context;
enum class yielded : std::uint8_t;

class blocking_scope;
class wait_slot;
class external_token;
enum class wait_kind : std::uint8_t;
class mutex;
class mutex_guard;
class condition_variable;
class semaphore;
class event;

struct deadlock_report;
struct deadlock_error;
enum class deadlock_action : std::uint8_t;

struct pool_stats;
struct member_stats;
struct member_snapshot;
enum class activity : std::uint8_t;
enum class wait_reason : std::uint8_t;
enum class wake_cause : std::uint8_t;

}  // namespace dozer::inline DOZER_PLATFORM
