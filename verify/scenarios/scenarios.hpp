// All scenarios, by what they try; scenarios.cpp lists them with their bounds.
#pragma once

namespace verify {

// posting.cpp
void one_sleeper_one_injector();
void two_workers_one_injector();
void one_worker_two_injectors();
void injected_into_a_busy_pool();
void fork_and_leaf();
void two_forks_two_leaves();
void detached_and_leaf();

// latches.cpp
void latch_against_sleep();
void latch_with_a_poster();
void latch_with_a_deadline();
void blocking_latch_against_set();
void scope_with_thieves();
void broadcast_to_one();
void broadcast_to_two();
void cross_pool_latch_and_the_end();
void cross_pool_latch_with_a_poster();
void future_from_outside();
void future_with_a_deadline();
void future_with_two_waiters();

// ends.cpp
void end_of_one();
void end_of_two();
void end_with_jobs_on_the_way();
void end_by_its_own_worker();
void registry_against_a_look();
void end_with_spawned_jobs();
void end_with_a_poster_inside();

// joins.cpp
void join_unstolen();
void join_unstolen_far();
void join_with_a_thief();
void join_that_has_run();
void join_with_a_wait_inside();
void join_with_jobs_left_above();

// deques.cpp
void deque_private();
void deque_public();
void deque_publish_and_expose();
void deque_two_exposers();
void deque_growth();
void deque_growth_far();
void deque_growth_farther();
void deque_growth_last();
void deque_two_thieves();
void deque_two_thieves_public();
void deque_push_take_push();
void deque_posted();
void deque_wait();
void deque_posted_taken();
void deque_wait_and_expose();
void deque_half_full();
void deque_two_buffers();
void join_with_two_jobs_left();
void deque_growth_two_thieves();
void injector_two_producers();
void injector_two_consumers();
void injector_look();
void injector_look_long();

// guests.cpp
void guest_and_injector_one();
void guest_and_injector_two();
void guest_leaves_a_job();
void guest_forks();
void guest_forks_and_stays();
void two_guests();
void guest_in_an_extra_seat_forks();
void guest_leaves_two_jobs();
void guest_and_broadcast();
void guest_waits_for_injected();
void guest_searches_and_injector();
void guest_and_end();
void guest_leaves_and_fork();
void quiet_guest_leaves_and_fork();
void guest_and_bound_worker();
void members_fill_the_word();
void guest_stays_and_injector();
void guest_waits_and_injector();
void all_seats_lent_and_injector();

// quiet.cpp
void quiet_guest_and_last_searcher();
void last_searcher_beside_a_sleeper();
void two_quiet_guests_and_last_searcher();
void quiet_guest_and_two_forks();
void occupants_that_cancel_out();
void job_left_in_an_extra_seat();

// spares.cpp
void spare_beside_a_wait_outside();
void spare_beside_a_wait_outside_two();
void spare_beside_a_guests_wait_outside();
void post_in_the_middle_of_a_wait_outside();
void spare_that_comes_late();
void blocking_without_spares();
void blocking_with_a_spare();
void nested_blocking();
void guest_blocks();
void guest_leaves_its_seat_to_a_spare();
void two_waits_lack_a_spare();
void blocking_with_a_spare_refused();
void one_place_for_a_worker_and_its_spare();
void scope_post_in_the_middle_of_a_wait_outside();
void two_wait_for_places();

// standstills.cpp
void all_blocked_two();
void blocked_beside_a_sleeper();
void blocked_and_released();
void blocked_and_token();
void blocked_and_token_dropped();
void outsider_waits_for_a_job();
void outsider_waits_for_a_drowsy_one();
void injection_is_seen();
void injection_starves();
void guest_waits_for_an_event();
void two_released_by_the_third();
void blocked_after_posting();
void starved_after_posting();
void spare_after_posting();

// starving.cpp
void spare_for_injected_beside_others();
void spare_for_injected_alone();
void spare_for_injected_bare();
void spare_beside_a_guest_and_others();
void spare_beside_a_guest_alone();
void spare_beside_a_guest_bare();
void spare_for_two_beside_others();
void spare_for_two_alone();
void spare_for_two_bare();
void spare_for_a_lent_seat_beside_others();
void spare_for_a_lent_seat_alone();
void spare_for_a_lent_seat_bare();

// mutexes.cpp
void mutex_between_two();
void mutexes_in_opposite_order();
void mutex_to_an_outsider();
void mutex_with_a_guest_that_leaves();
void thrown_out_of_two_mutexes();
void thrown_out_of_two_mutexes_by_a_thread();
void mutex_between_three();
void mutex_tried();
void mutex_destroyed();

// sync.cpp
void condition_for_two();
void condition_for_all();
void condition_for_a_time();
void condition_interrupted();
void semaphore_for_two();
void semaphore_tried();
void semaphore_for_a_time_inside();
void semaphore_for_a_time_outside();
void event_for_two();
void event_for_a_time();

// reporting.cpp
void interrupted_and_released();
void two_thrown_out();
void thrown_out_by_a_victim_and_released();
void thrown_out_by_a_thread_and_released();
void reported_by_a_victim_and_released();
void reported_by_a_thread_and_released();
void future_thrown_out();
void stands_still_twice_without_a_thread();
void stands_still_twice_with_a_thread();
void two_summons_without_a_thread();

// watching.cpp
void watchdog_and_end();
void watchdog_and_end_from_inside();
void watchdog_reports_while_the_pool_ends();
void start_with_fewer_threads();
void start_given_up();
void start_given_up_for_the_watchdog();
void two_wait_outside();

// children.cpp
void child_of_a_pool_at_rest();
void child_comes_back_to_its_worker();
void child_comes_back_to_a_join();

// isolations.cpp
void isolated_join();
void isolated_join_above_a_job();
void isolated_and_stolen();
void isolated_beside_a_job();
void isolated_and_starved();
void isolated_and_mailed();
void isolated_and_forked_late();

}  // namespace verify
