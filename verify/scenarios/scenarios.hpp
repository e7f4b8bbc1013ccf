// All scenarios, by what they try; scenarios.cpp lists them with their bounds.
#pragma once

namespace verify {

// posting.cpp
void one_sleeper_one_injector();
void two_workers_one_injector();
void one_worker_two_injectors();
void injected_into_a_busy_pool();

// forks.cpp
void leaf_join();
void leaf_join_3();
void leaf_join_context();
void leaf_many();
void leaf_many_3();
void leaf_isolated();
void leaf_isolated_3();
void leaf_isolated_many();
void leaf_scope();
void leaf_scope_3();
void leaf_scope_fifo();
void leaf_scope_fifo_3();
void leaf_scope_from_outside();
void leaf_scope_from_another_pool();
void leaf_spawn();
void leaf_spawn_3();
void leaf_spawn_fifo();
void leaf_spawn_fifo_3();
void leaf_submit();
void leaf_loop();
void leaf_loop_3();
void batch_asleep();
void batch_one_awake();
void batch_scope();

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
void life_of_a_pool();
void end_with_jobs_on_the_way();
void end_by_its_own_worker();
void registry_against_a_look();
void registry_with_two_that_enter();
void end_with_spawned_jobs();
void end_with_a_poster_inside();

// joins.cpp
void join_unstolen();
void join_unstolen_far();
void join_with_a_thief();
void join_that_has_run();
void join_with_a_wait_inside();
void join_with_jobs_left_above();
void join_with_two_jobs_left();
void join_without_room_in_the_deque();
void join_of_three();
void join_of_three_two_thieves();
void join_whose_first_throws();
void join_whose_second_throws();
void join_whose_both_throw();
void join_whose_middle_throws();

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
void deque_slow_thief();
void deque_growth_two_thieves();

// injectors.cpp
void injector_two_producers();
void injector_two_consumers();
void injector_look();
void injector_look_long();
void injector_whose_inbox_is_full();
void injector_counter_is_filled_again();
void injector_look_at_a_full_inbox();
void mailbox_with_unwanted_mail();

// loops.cpp
void loop_with_a_thief();
void loop_from_outside();
void loop_in_a_loop();
void loop_whose_first_throws();
void loop_whose_last_throws();
void loop_that_was_short_before();

// spawns.cpp
void spawn_into_memory_left_by_a_worker();
void spawn_into_memory_left_by_two();
void spawn_into_memory_left_by_a_guest();
void spawn_in_order_alone();
void spawn_in_order_with_a_thief();
void scope_in_order_with_two_lines();
void scope_whose_jobs_throw();

// turns.cpp
void yields_beside_a_thief();
void yield_takes_a_private_job();
void turns_of_one();
void turns_of_two();
void turn_of_a_join();
void turn_of_private_jobs();

// policies.cpp
void fork_wakes_one();
void fork_wakes_two();
void fork_wakes_blocks();
void fork_wakes_all();
void inject_wakes_frugally();
void inject_wakes_one();
void inject_wakes_two();
void inject_wakes_blocks();
void inject_wakes_all();
void fork_searches_always();
void fork_searches_by_spins();
void fork_searches_by_yields();
void inject_searches_always();
void inject_searches_by_spins();
void inject_searches_by_yields();

// leaving.cpp
void leave_for_a_latch();
void leave_because_time_is_up();

// futures.cpp
void then_while_it_completes();
void then_at_the_end();
void then_against_the_end();
void then_after_an_exception();
void then_from_an_isolation();
void future_dropped();
void future_dropped_with_an_exception();

// locals.cpp
void local_of_two_workers();
void local_of_a_guest_and_its_worker();
void local_of_two_guests();

// installs.cpp
void install_into_another_pool();
void install_crosswise();
void install_without_a_seat();
void limit_with_a_spare();
void limit_with_a_guest();
void join_in_the_global_pool();
void join_of_three_in_the_global_pool();
void spawn_into_the_global_pool();

// stays.cpp
void two_guests_beside_a_worker();
void two_guests_that_stay();
void end_while_a_guest_forks();
void end_while_a_guest_forks_in_an_extra_seat();
void end_while_a_guest_waits();
void end_after_a_guest_has_spawned();

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
void last_searcher_wakes_one_beside_a_guest();
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
void scope_post_in_the_middle_of_a_wait_outside();
void two_wait_for_places();

// deadlocks.cpp, isolations.cpp
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
void spare_for_injected();
void spare_beside_a_guest();
void spare_for_two();
void spare_for_a_lent_seat();
void interrupted_and_released();
void mutex_to_an_outsider();
void mutex_with_a_guest_that_leaves();
void isolated_join();
void isolated_join_above_a_job();
void isolated_and_stolen();
void isolated_beside_a_job();
void isolated_and_starved();
void isolated_and_mailed();
void isolated_and_forked_late();
void isolation_numbers();
void two_summons_without_a_thread();
void mutex_between_two();
void mutexes_in_opposite_order();

}  // namespace verify
