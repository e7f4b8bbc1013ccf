// All of dozer.
#pragma once

#include <dozer/algorithm.hpp>
#include <dozer/blocking.hpp>
#include <dozer/broadcast.hpp>
#include <dozer/deadlock.hpp>
#include <dozer/future.hpp>
#include <dozer/fwd.hpp>
#include <dozer/isolate.hpp>
#include <dozer/join.hpp>
#include <dozer/named.hpp>
#include <dozer/parallel_for.hpp>
#include <dozer/scope.hpp>
#include <dozer/spawn.hpp>
#include <dozer/stats.hpp>
#include <dozer/sync.hpp>
#include <dozer/thread_pool.hpp>
#include <dozer/worker_local.hpp>
#include <dozer/yield.hpp>
