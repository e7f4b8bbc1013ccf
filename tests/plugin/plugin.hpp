// What the plug-ins of these tests offer their host. No word of Dozer: the host has none.
#pragma once

extern "C" {

/// Uses the 64 KiB of thread-local data of the plug-in's own, in the calling thread.
int plugin_uses_its_data();
/// A Fibonacci number by way of joins, in the plug-in's global pool.
long plugin_fib(int n);
/// The same in a pool that is made for it, and destroyed.
long plugin_fib_in_a_pool_of_its_own(int n);
/// The same by the calling thread alone: with joins that no other thread steals, for counting their instructions.
long plugin_fib_alone(int n);
/// Whether the plug-in's Dozer takes the calling thread for one of a pool.
int plugin_is_in_a_pool();
/// Calls f() in the plug-in's global pool.
void plugin_install(void (*f)());
/// Posts jobs that go on for ever, and returns when one of them has begun.
void plugin_leaves_jobs_behind();
/// Which global pool that is.
const void* plugin_global_pool();
}
