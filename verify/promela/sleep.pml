/*
 * The sleep protocol (src/sleep/README.md): workers that go to sleep, and posters that wake them.
 *
 * Memory is sequentially consistent, which is all that Promela has. Stale reads are the business of the checker that runs
 * the shipped source. One exception: the push of a forked job goes through a store buffer, because there the protocol has
 * no fence on the poster's side and a heavy fence on the other.
 *
 * Each transition is one access to what others can see, with its guard and with assignments to locals, in a d_step.
 * No two accesses are lumped together, except as follows, and none of this hides an interleaving:
 *   - A CAS loop is its last step: an attempt that fails changes nothing, and the loop decides again by what it then sees.
 *     This goes for the word, for "load the parker, then CAS it", and for "load the parker, then futex wait", since the
 *     kernel compares once more.
 *   - A search that finds nothing changes nothing, so several rounds before getting sleepy are one slow round.
 *   - A deque holds something only if its worker runs LEAF_JOB, and that is one worker at most. Looks at all other deques
 *     find nothing and change nothing: "all deques" is that one, and the order of the visits does not matter.
 *   - Running a job touches nothing shared (`executed` is read by the properties only), so it goes with the step after it.
 * The injectors are alike, so job 1 is, without loss, the first to be pushed.
 *
 * A simplification: the injector is one queue, and a push, a pop and a look are one step each. In the source a look reads two
 * parts, one after the other.
 */

#ifndef WORKERS
#define WORKERS 3       /* at most 4 */
#endif
#ifndef INJECTORS
#define INJECTORS 2     /* each posts one job from outside; jobs are numbered from 1 */
#endif
#ifndef UP
#define UP 0            /* so many workers have just finished a job; the others are asleep, as they are born */
#endif
#ifndef LEAF_JOB
#define LEAF_JOB 0      /* whoever runs this job forks another and stays in a long leaf: never comes back. 0: no such job */
#endif
/* LONG_JOBS            nobody comes back from any job: each needs a worker of its own */
#ifndef JEC_BITS
#define JEC_BITS 2      /* at most 4; so few that it wraps */
#endif
#ifndef JEC_START
#define JEC_START 0
#endif
/* NO_JEC               registering does not compare the JEC: safety must not rest on it */
/* NO_HINT              the poster ignores that jobs stood in the queue already: it only speeds things up */
/* SPURIOUS             the futex wait may return for no reason */
/* PROMISE              checks what the JEC is there for; needs 3 bits or more */
/* LIVE                 the liveness property in place of the check of end states */
/* BROKEN_...           mistakes that must be found */

#define FORKED (INJECTORS + 1)
#if LEAF_JOB
#define JOBS (INJECTORS + 1)
#else
#define JOBS INJECTORS
#endif
#ifdef LONG_JOBS
#define STAY JOBS       /* workers that are still busy at the end */
#if JOBS > WORKERS
#error "LONG_JOBS: each job needs a worker"
#endif
#elif LEAF_JOB
#define STAY 1
#else
#define STAY 0
#endif

#define JEC_MASK ((1 << JEC_BITS) - 1)
#define JOB(j) (1 << (j))
#define ALL_JOBS (JOB(JOBS + 1) - 2)
#define SEAT(w) (1 << (w))
#define ALL_SEATS (SEAT(WORKERS) - 1)
#define BELOW(w) (SEAT(w) - 1)
#define ABOVE(w) (ALL_SEATS & ~BELOW((w) + 1))
#define LOWEST(set) (((set) & 1) -> 0 : (((set) & 2) -> 1 : (((set) & 4) -> 2 : 3)))
#define OTHERS(set) ((set) & ((set) - 1))       /* all but the lowest */

#define AWAKE 0
#define DROWSY 1
#define ASLEEP 2
#define CLAIMED 3

/* The counters word: three variables, but each step that touches one has all three to itself. */
byte asleep = WORKERS - UP;
byte inactive = WORKERS - UP;
byte jec = JEC_START;
#define searchers (inactive - asleep)

byte sleepers = ALL_SEATS & ~BELOW(UP);         /* the bitmap */
byte parker[WORKERS];
byte queued = 0;                /* seats whose worker waits in the kernel */

chan injector = [INJECTORS] of { byte };
byte deque = 0;                 /* the forked job, where thieves see it */
byte buffer = 0;                /* the forked job, still in the store buffer of its poster */

byte posted = 0;                /* sets of jobs */
byte executed = 0;

#ifdef PROMISE
byte told = 0;                  /* seats for which there was a post since they got sleepy */
#endif

#define check_counts() assert(asleep <= inactive && inactive <= WORKERS)

inline announce_sleepy() {      /* makes an odd JEC even */
  if
  :: (jec & 1) -> jec = (jec + 1) & JEC_MASK
  :: else
  fi;
#ifdef PROMISE
  told = told & ~SEAT(me);
#endif
}

inline announce_work() {        /* makes an even JEC odd */
#ifndef BROKEN_NO_TOGGLE
  if
  :: (jec & 1)
  :: else -> jec = (jec + 1) & JEC_MASK
  fi;
#endif
#ifdef PROMISE
  told = ALL_SEATS;
#endif
}

#ifdef NO_JEC
#define JEC_UNCHANGED true
#define JEC_MOVED false
#else
#define JEC_UNCHANGED (mine == jec)
#define JEC_MOVED (mine != jec)
#endif

inline register_asleep() {
  asleep++;
  mine = 0;
#ifdef PROMISE
  assert(!(told & SEAT(me)));
#endif
  check_counts();
}

inline claimer_counts() {
#ifndef BROKEN_WAKER_FORGETS
  asleep--;
#endif
  check_counts();
}

inline run_it() {
  assert(!(executed & JOB(job)));
  executed = executed | JOB(job);
  job = 0;
}

#define is_up(w) (parker[w] == AWAKE || parker[w] == CLAIMED)

/* Only the poster of the forked job ever has something in its store buffer: flushing all is flushing that. */
#define drain() if :: d_step { buffer != 0 -> deque = buffer; buffer = 0 } :: buffer == 0 fi

proctype Worker(byte me) {
  unsigned job : 3 = 0;         /* found, not yet run */
  unsigned mine : 4 = 0;        /* the JEC when this worker got sleepy */
  unsigned bits : 4 = 0;        /* candidates to wake, not yet tried */
  unsigned who : 2 = 0;         /* the one that was claimed */
  bit lower = 0;                /* `bits` are the candidates below the own seat */
  bit again = 0;                /* the second search; the second look of a leaver */
  bit in_injector = 0;          /* what a leaver saw */
  bit in_deque = 0;
  bit forking = 0;              /* the wake is for the forked job */

  if
  :: d_step { me < UP -> inactive++; check_counts() } goto SEARCH
  :: me >= UP
  fi;

PARK:                                                                   /* step 8 */
  if
#ifdef BROKEN_BOTH_TAKE_OFF
  :: d_step { parker[me] == AWAKE -> asleep--; check_counts() } goto SEARCH
#else
  :: parker[me] == AWAKE -> goto SEARCH
#endif
  :: d_step { parker[me] != AWAKE -> queued = queued | SEAT(me) }
  fi;
end_parked:
  if
  :: (queued & SEAT(me)) == 0
#ifdef SPURIOUS
  :: d_step { (queued & SEAT(me)) != 0 -> queued = queued & ~SEAT(me) }
#endif
  fi;
  goto PARK;

SEARCH:                                                                 /* steps 1 and 2 */
#if LEAF_JOB
  if
  :: d_step { deque != 0 -> job = deque; deque = 0; again = 0; mine = 0 } goto LEAVE
  :: deque == 0
  fi;
#endif
  if
  :: d_step { nempty(injector) -> injector?job; again = 0; mine = 0 } goto LEAVE
  :: d_step { empty(injector) && again -> again = 0 } goto REGISTER
  :: d_step { empty(injector) && !again -> again = 1 }
  fi;
SLEEPY:
  if
  :: d_step { announce_sleepy(); mine = jec }
  fi;
  goto SEARCH;

REGISTER:
#ifndef BROKEN_DROWSY_LATE
  sleepers = sleepers | SEAT(me);                                       /* step 3 */
  parker[me] = DROWSY;
#endif
  if                                                                    /* step 4 */
  :: d_step { JEC_UNCHANGED && searchers == 1 -> register_asleep() } goto LAST
  :: d_step { JEC_UNCHANGED && searchers != 1 -> register_asleep() }
  :: d_step { JEC_MOVED -> mine = 0 }
     sleepers = sleepers & ~SEAT(me);
     d_step { parker[me] = AWAKE; again = 1 }
     goto SLEEPY
  fi;
#ifdef BROKEN_NO_FINAL_CHECK
  goto FALL;
LAST:
  goto FALL;
#else
#ifdef BROKEN_DROWSY_LATE
  sleepers = sleepers | SEAT(me);
  parker[me] = DROWSY;
#endif
  if                                                                    /* step 5 */
  :: nempty(injector) -> goto BACK
  :: empty(injector) -> goto FALL
  fi;
LAST:
#ifdef BROKEN_DROWSY_LATE
  sleepers = sleepers | SEAT(me);
  parker[me] = DROWSY;
#endif
#if LEAF_JOB && !defined(BROKEN_PLAIN_FENCE_LAST)
  drain();                                                              /* the heavy fence */
#endif
  if
  :: nempty(injector) -> goto BACK
  :: empty(injector)
  fi;
#if LEAF_JOB && !defined(BROKEN_LAST_DOES_NOT_LOOK)
  if
  :: deque != 0 -> goto BACK
  :: deque == 0
  fi;
#endif
#endif
FALL:
  if                                                                    /* step 7 */
  :: d_step { parker[me] == DROWSY -> parker[me] = ASLEEP } goto PARK
#ifdef BROKEN_TWO_STATES
  :: parker[me] != DROWSY -> goto PARK
#else
  :: parker[me] != DROWSY
#endif
  fi;
BACK:
#ifdef BROKEN_TWO_STATES
  if
  :: d_step { parker[me] == DROWSY -> parker[me] = AWAKE }
  :: parker[me] != DROWSY -> goto PARK
  fi;
#endif
  if                                                                    /* step 6 */
  :: d_step { asleep--; check_counts() }
  fi;
  sleepers = sleepers & ~SEAT(me);
  parker[me] = AWAKE;
  goto SEARCH;

LEAVE:
#ifdef BROKEN_NO_WAKE_ON_LEAVING
  if
  :: d_step { inactive--; check_counts() } goto RUN
  fi;
#else
  if
  :: d_step { asleep == 0 || searchers > 1 -> inactive--; check_counts() } goto RUN
  :: d_step { asleep != 0 && searchers <= 1 -> inactive--; check_counts() }
  fi;
#endif
LOOK:
  if
  :: d_step { nempty(injector) -> in_injector = 1 }
#if LEAF_JOB
  :: empty(injector)
  fi;
  if
  :: d_step { deque != 0 -> in_deque = 1 }
  :: d_step { deque == 0 && in_injector }
  :: d_step { deque == 0 && !in_injector && !again -> again = 1 } goto FENCE
  :: d_step { deque == 0 && !in_injector && again -> again = 0 } goto RUN
#else
  :: d_step { empty(injector) && !again -> again = 1 } goto FENCE
  :: d_step { empty(injector) && again -> again = 0 } goto RUN
#endif
  fi;

WAKE:                           /* one other, from the own seat on and around; the bitmap is read in two parts */
  if
  :: d_step { (sleepers & ABOVE(me)) != 0 -> bits = sleepers & ABOVE(me) } goto TRY
  :: (sleepers & ABOVE(me)) == 0
  fi;
WAKE_LOWER:
  if
  :: d_step { (sleepers & BELOW(me)) != 0 -> bits = sleepers & BELOW(me); lower = 1 }
  :: (sleepers & BELOW(me)) == 0 -> goto NOBODY
  fi;
TRY:
  if
  :: d_step { is_up(LOWEST(bits)) && OTHERS(bits) != 0 -> bits = OTHERS(bits) } goto TRY
  :: d_step { is_up(LOWEST(bits)) && OTHERS(bits) == 0 && !lower -> bits = 0 } goto WAKE_LOWER
  :: d_step { is_up(LOWEST(bits)) && OTHERS(bits) == 0 && lower -> bits = 0; lower = 0 } goto NOBODY
  :: d_step { parker[LOWEST(bits)] == DROWSY -> parker[LOWEST(bits)] = AWAKE; bits = 0; lower = 0 } goto WOKEN
  :: d_step { parker[LOWEST(bits)] == ASLEEP ->
       who = LOWEST(bits); parker[who] = CLAIMED; bits = 0; lower = 0 }
  fi;
  sleepers = sleepers & ~SEAT(who);
  d_step { claimer_counts() }
  parker[who] = AWAKE;
  d_step { queued = queued & ~SEAT(who); who = 0 }                      /* futex wake */
WOKEN:
  if
  :: d_step { forking } goto LEAF
  :: d_step { !forking -> in_injector = 0; in_deque = 0; again = 0 } goto RUN
  fi;
NOBODY:
  if
  :: d_step { forking } goto LEAF
  :: d_step { !forking && in_injector && in_deque -> in_injector = 0 } goto WAKE
  :: d_step { !forking && in_injector && !in_deque && !again -> in_injector = 0; again = 1 }
  :: d_step { !forking && in_injector && !in_deque && again -> in_injector = 0; again = 0 } goto RUN
  :: d_step { !forking && !in_injector -> in_deque = 0; again = 0 } goto RUN
  fi;
FENCE:                          /* nothing in the deques and nobody woken: the heavy fence, and once more */
#if LEAF_JOB && !defined(BROKEN_PLAIN_FENCE_LEAVING)
  drain();
#endif
  goto LOOK;

RUN:
  if
#ifdef LONG_JOBS
  :: d_step { job != LEAF_JOB -> run_it() } goto LEAF
#else
  :: d_step { job != LEAF_JOB -> run_it(); inactive++; check_counts() } goto SEARCH
#endif
#if LEAF_JOB
  /* The push leaves the store buffer before the load of the word or not before. */
  :: d_step { job == LEAF_JOB -> run_it(); posted = posted | JOB(FORKED); deque = FORKED }
  :: d_step { job == LEAF_JOB -> run_it(); posted = posted | JOB(FORKED); buffer = FORKED }
#endif
  fi;
#if LEAF_JOB
  if
  :: inactive == 0 -> goto LEAF
  :: inactive != 0
  fi;
  drain();                      /* announcing is an RMW: it waits for the buffer */
  if
  :: d_step { asleep == 0 || searchers != 0 -> announce_work() } goto LEAF
  :: d_step { asleep != 0 && searchers == 0 -> announce_work(); forking = 1 } goto WAKE
  fi;
#endif
LEAF:
end_leaf:
  do
  :: d_step { buffer != 0 -> deque = buffer; buffer = 0 }               /* in its own time */
  od
}

proctype Injector(byte me) {
  unsigned bits : 4 = 0;
  unsigned who : 2 = 0;
  bit had = 0;                  /* jobs stood in the queue already */

  (me == 1 || (posted & JOB(me - 1)));
#ifndef BROKEN_NOTIFY_BEFORE_PUSH
  d_step { had = nempty(injector); injector!me; posted = posted | JOB(me) }
#ifdef NO_HINT
  had = 0;
#endif
#endif
  if
  :: inactive == 0 -> goto DONE
  :: inactive != 0
  fi;
  if
  :: d_step { asleep == 0 || (!had && searchers != 0) -> announce_work(); had = 0 } goto DONE
  :: d_step { asleep != 0 && (had || searchers == 0) -> announce_work(); had = 0 }
  fi;
  if
  :: d_step { sleepers != 0 -> bits = sleepers }
  :: sleepers == 0 -> goto DONE
  fi;
TRY:
  if
  :: d_step { is_up(LOWEST(bits)) && OTHERS(bits) != 0 -> bits = OTHERS(bits) } goto TRY
  :: d_step { is_up(LOWEST(bits)) && OTHERS(bits) == 0 -> bits = 0 } goto DONE
#if defined(BROKEN_DROWSY_SKIPPED)
  :: d_step { parker[LOWEST(bits)] == DROWSY && OTHERS(bits) != 0 -> bits = OTHERS(bits) } goto TRY
  :: d_step { parker[LOWEST(bits)] == DROWSY && OTHERS(bits) == 0 -> bits = 0 } goto DONE
#elif defined(BROKEN_TWO_STATES)
  :: d_step { parker[LOWEST(bits)] == DROWSY -> who = LOWEST(bits); parker[who] = CLAIMED; bits = 0 }
#else
  :: d_step { parker[LOWEST(bits)] == DROWSY -> parker[LOWEST(bits)] = AWAKE; bits = 0 } goto DONE
#endif
  :: d_step { parker[LOWEST(bits)] == ASLEEP -> who = LOWEST(bits); parker[who] = CLAIMED; bits = 0 }
  fi;
  sleepers = sleepers & ~SEAT(who);
  d_step { claimer_counts() }
  parker[who] = AWAKE;
#ifdef BROKEN_NO_FUTEX_WAKE
  who = 0;
#else
  d_step { queued = queued & ~SEAT(who); who = 0 }                      /* futex wake */
#endif
DONE:
#ifdef BROKEN_NOTIFY_BEFORE_PUSH
  if
  :: d_step { injector!me; posted = posted | JOB(me) }
  fi
#else
  skip
#endif
}

#ifdef LIVE

/* [](posted -> <>executed) for each job. Both sets only grow, so this says it for all of them at once. */
ltl all_run { [] <> (posted == executed) }

#else

/* Nothing can move any more: every job has run, and everybody who is not in a leaf is asleep and registered. */
proctype Monitor() {
  byte registered = 0;
  byte w = 0;
end:
  timeout ->
  d_step {
    do
    :: w < WORKERS ->
       if
       :: parker[w] == ASLEEP -> registered++; assert(sleepers & SEAT(w))
       :: else -> assert(parker[w] == AWAKE && !(sleepers & SEAT(w)))
       fi;
       w++
    :: else -> break
    od;
    assert(posted == ALL_JOBS && executed == ALL_JOBS);
    assert(empty(injector) && deque == 0 && buffer == 0);
    assert(asleep == registered);
    assert(inactive == asleep && inactive == WORKERS - STAY)
  }
}

#endif

init {
  byte i = 0;
  atomic {
    do
    :: i < WORKERS ->
       parker[i] = (i < UP -> AWAKE : ASLEEP);
       run Worker(i);
       i++
    :: else -> break
    od;
    i = 1;
    do
    :: i <= INJECTORS -> run Injector(i); i++
    :: else -> break
    od;
    i = 0;
#ifndef LIVE
    run Monitor()
#endif
  }
}
