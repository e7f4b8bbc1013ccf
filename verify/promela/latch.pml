/*
 * A latch and its owner (src/latch/README.md): the owner waits for it and sleeps meanwhile, somebody sets it, and others
 * post jobs and wake sleepers at the same time.
 *
 * Without HELPER the owner is alone in its pool. It waits twice in the same seat: first for a latch of its own, as in a join,
 * whose memory is gone once it is through; then for its termination, which is set when all jobs have run. So a setter of
 * the first latch that is late with its wake meets an owner that sleeps on the second.
 * With HELPER there is a second worker, born asleep, and the owner goes into a long leaf once it is through its first latch:
 * whoever counted on it as a searcher must find somebody else.
 *
 * Sequentially consistent memory. Each transition is one access to what others can see; sleep.pml says what that means, and
 * why a CAS loop is one step.
 */

#ifndef POSTERS
#define POSTERS 1       /* each posts one job from outside; at most 3 */
#endif
#ifndef WAKERS
#define WAKERS 1        /* each tries once to wake the owner, for something it saw long ago */
#endif
#ifndef HELPER
#define HELPER 0
#endif
#ifndef JEC_BITS
#define JEC_BITS 2
#endif
#ifndef JEC_START
#define JEC_START 0
#endif
/* TIMED                the wait for the first latch may run out of time, at any moment */
/* SPURIOUS             the futex wait may return for no reason */
/* LIVE                 the liveness property in place of the check of end states */
/* BROKEN_...           mistakes that must be found */

#define MEMBERS (1 + HELPER)
#define JEC_MASK ((1 << JEC_BITS) - 1)
#define BIT(n) (1 << (n))
#define ALL_JOBS (BIT(POSTERS + 1) - 2)
#define ALL_LATCHES (HELPER -> 1 : 3)

#define UNSET 0
#define SLEEPY 1
#define SLEEPING 2
#define SET 3

#define AWAKE 0
#define DROWSY 1
#define ASLEEP 2
#define CLAIMED 3

#define OWNER 0
#define OTHER 1         /* the helper's seat */

byte asleep = HELPER;           /* the counters word */
byte inactive = HELPER;
byte jec = JEC_START;
#define searchers (inactive - asleep)
#define next_jec ((jec + 1) & JEC_MASK)

byte sleepers = HELPER * BIT(OTHER);    /* the bitmap */
byte parker[2];
byte queued = 0;                /* seats whose worker waits in the kernel */

byte latch[2];
bit gone[2];                    /* the latch's memory is somebody else's now */

#if POSTERS
chan injector = [POSTERS] of { byte };
#define work_there nempty(injector)
#define no_work empty(injector)
#else
#define work_there false
#define no_work true
#endif

byte set = 0;                   /* sets of latches */
byte through = 0;
byte posted = 0;                /* sets of jobs */
byte executed = 0;

#define check_counts() assert(asleep <= inactive && inactive <= MEMBERS)

inline run_it() {
  assert(!(executed & BIT(job)));
  executed = executed | BIT(job);
  job = 0;
}

inline announce_sleepy() {
  if
  :: (jec & 1) -> jec = next_jec
  :: else
  fi;
  mine = jec;
}

inline announce_work() {
  if
  :: (jec & 1)
  :: else -> jec = next_jec
  fi;
}

/* On every way out of sleep. Load and CAS: the CAS can only lose to the setter, and then nothing changes. */
#define undo_mark() if \
  :: d_step { latch[n] == SLEEPY || latch[n] == SLEEPING -> latch[n] = UNSET } \
  :: latch[n] == UNSET || latch[n] == SET \
  fi

/* Waking one seat. */
#define try_wake(who, not_there, woken) \
  if \
  :: parker[who] == AWAKE || parker[who] == CLAIMED -> goto not_there \
  :: d_step { parker[who] == DROWSY -> parker[who] = AWAKE } goto woken \
  :: d_step { parker[who] == ASLEEP -> parker[who] = CLAIMED } \
  fi; \
  sleepers = sleepers & ~BIT(who); \
  d_step { asleep--; check_counts() } \
  parker[who] = AWAKE; \
  queued = queued & ~BIT(who); \
  goto woken

/* Leaving the search. If nobody searches now while the other one sleeps: look, and wake it for what is there; twice.
   (In between comes the heavy fence, which matters for deques only.) Ends at the label RUN. */
#define leave(other) \
  if \
  :: d_step { asleep == 0 || searchers > 1 -> inactive--; check_counts() } goto RUN \
  :: d_step { asleep != 0 && searchers <= 1 -> inactive--; check_counts() } \
  fi; \
LOOK: \
  if \
  :: work_there \
  :: d_step { no_work && !again -> again = 1 } goto LOOK \
  :: d_step { no_work && again -> again = 0 } goto RUN \
  fi; \
  if \
  :: (sleepers & BIT(other)) != 0 \
  :: (sleepers & BIT(other)) == 0 -> goto NOBODY \
  fi; \
  try_wake(other, NOBODY, WOKEN); \
NOBODY: \
  if \
  :: d_step { !again -> again = 1 } goto LOOK \
  :: d_step { again -> again = 0 } goto RUN \
  fi; \
WOKEN: \
  again = 0

proctype Owner() {
  bit n = 0;                    /* which latch */
  unsigned job : 2 = 0;
  unsigned mine : 4 = 0;        /* the JEC when it got sleepy */
  bit sleepy = 0;
  bit again = 0;                /* the second look on leaving */
  bit late = 0;                 /* the time is up */

WAIT:
  if
  :: latch[n] == SET -> goto THROUGH
  :: latch[n] != SET && !late
#ifdef TIMED
  :: latch[n] != SET && late -> goto THROUGH
#endif
  fi;
  d_step { inactive++; check_counts() }

SEARCH:                                                                 /* steps 1 and 2 */
  if
  :: latch[n] == SET -> goto LEAVE
  :: latch[n] != SET && !late
#ifdef TIMED
  :: latch[n] != SET && late -> goto LEAVE
  :: d_step { latch[n] != SET && !late && n == 0 -> late = 1 } goto LEAVE
#endif
  fi;
  if
#if POSTERS
  :: d_step { nempty(injector) -> injector?job } goto LEAVE
#endif
  :: d_step { no_work && sleepy -> sleepy = 0 } goto REGISTER
  :: d_step { no_work && !sleepy }
  fi;
GET_SLEEPY:
  if
  :: d_step { announce_sleepy() }
  fi;
  if
  :: d_step { latch[n] == UNSET -> latch[n] = SLEEPY; sleepy = 1 }
  :: d_step { latch[n] != UNSET -> assert(latch[n] == SET); mine = 0 }
  fi;
  goto SEARCH;

REGISTER:
#ifdef BROKEN_SLEEPING_BEFORE_DROWSY
  if
  :: d_step { latch[n] == SLEEPY -> latch[n] = SLEEPING }
  :: d_step { latch[n] != SLEEPY -> mine = 0 } goto SEARCH
  fi;
#endif
  sleepers = sleepers | BIT(OWNER);                                     /* step 3 */
  parker[OWNER] = DROWSY;
  if                                                                    /* step 4 */
  :: d_step { mine == jec -> asleep++; mine = 0; check_counts() }
  :: d_step { mine != jec -> mine = 0 }
     sleepers = sleepers & ~BIT(OWNER);
     parker[OWNER] = AWAKE;
     undo_mark();
     goto GET_SLEEPY
  fi;
  if                                                                    /* step 5 */
  :: work_there -> goto BACK
  :: no_work
  fi;
#ifdef BROKEN_LOAD_AND_STORE
  if
  :: latch[n] == SET -> goto BACK
  :: latch[n] != SET
  fi;
  latch[n] = SLEEPING;
#elif !defined(BROKEN_SLEEPING_BEFORE_DROWSY)
  if
  :: d_step { latch[n] == SLEEPY -> latch[n] = SLEEPING }
  :: latch[n] != SLEEPY -> goto BACK
  fi;
#endif
  if                                                                    /* step 7 */
  :: d_step { parker[OWNER] == DROWSY -> parker[OWNER] = ASLEEP } goto PARK
  :: parker[OWNER] != DROWSY
  fi;
BACK:                                                                   /* step 6 */
  if
  :: d_step { asleep--; check_counts() }
  fi;
  sleepers = sleepers & ~BIT(OWNER);
  parker[OWNER] = AWAKE;
  goto UP;

PARK:                                                                   /* step 8 */
  if
  :: parker[OWNER] == AWAKE -> goto UP
  :: d_step { parker[OWNER] != AWAKE -> queued = queued | BIT(OWNER) }
#ifdef TIMED
  :: d_step { parker[OWNER] != AWAKE && n == 0 && !late -> late = 1 } goto TIME_UP
#endif
  fi;
  if
  :: (queued & BIT(OWNER)) == 0
#ifdef SPURIOUS
  :: d_step { (queued & BIT(OWNER)) != 0 -> queued = queued & ~BIT(OWNER) }
#endif
#ifdef TIMED
  :: d_step { (queued & BIT(OWNER)) != 0 && n == 0 && !late -> queued = queued & ~BIT(OWNER); late = 1 } goto TIME_UP
#endif
  fi;
  goto PARK;
#ifdef TIMED
TIME_UP:                        /* claims itself and does the claimer's part, unless somebody is at it already */
  if
  :: d_step { parker[OWNER] == ASLEEP -> parker[OWNER] = CLAIMED }
  :: parker[OWNER] != ASLEEP -> goto PARK
  fi;
  sleepers = sleepers & ~BIT(OWNER);
  d_step { asleep--; check_counts() }
  parker[OWNER] = AWAKE;
#endif
UP:
#ifndef BROKEN_MARK_LEFT
  undo_mark();
#endif
  goto SEARCH;

LEAVE:
  undo_mark();
  d_step { sleepy = 0; mine = 0 }
#ifdef BROKEN_OWNER_LEAVES_SILENTLY
  if
  :: d_step { job == 0 -> inactive--; check_counts() } goto RUN
  :: job != 0
  fi;
#endif
  leave(OTHER);
RUN:
  if
  :: d_step { job != 0 -> run_it() }
  :: job == 0
  fi;
  goto WAIT;

THROUGH:
  if
#if HELPER
  :: d_step { through = through | BIT(0); gone[0] = (latch[0] == SET) }
#else
  :: d_step { n == 0 -> through = through | BIT(0); gone[0] = (latch[0] == SET); n = 1; late = 0 } goto WAIT
  :: d_step { n == 1 -> through = through | BIT(1) }
#endif
  fi
}

#if HELPER
proctype Helper() {
  unsigned job : 2 = 0;
  unsigned mine : 4 = 0;
  bit sleepy = 0;
  bit again = 0;

PARK:
  if
  :: parker[OTHER] == AWAKE -> goto SEARCH
  :: d_step { parker[OTHER] != AWAKE -> queued = queued | BIT(OTHER) }
  fi;
end_parked:
  if
  :: (queued & BIT(OTHER)) == 0
#ifdef SPURIOUS
  :: d_step { (queued & BIT(OTHER)) != 0 -> queued = queued & ~BIT(OTHER) }
#endif
  fi;
  goto PARK;

SEARCH:
  if
#if POSTERS
  :: d_step { nempty(injector) -> injector?job; sleepy = 0; mine = 0 } goto LEAVE
#endif
  :: d_step { no_work && sleepy -> sleepy = 0 } goto REGISTER
  :: d_step { no_work && !sleepy -> sleepy = 1 }
  fi;
GET_SLEEPY:
  if
  :: d_step { announce_sleepy() }
  fi;
  goto SEARCH;

REGISTER:
  sleepers = sleepers | BIT(OTHER);
  parker[OTHER] = DROWSY;
  if
  :: d_step { mine == jec -> asleep++; mine = 0; check_counts() }
  :: d_step { mine != jec -> mine = 0 }
     sleepers = sleepers & ~BIT(OTHER);
     d_step { parker[OTHER] = AWAKE; sleepy = 1 }
     goto GET_SLEEPY
  fi;
  if
  :: work_there -> goto BACK
  :: no_work
  fi;
  if
  :: d_step { parker[OTHER] == DROWSY -> parker[OTHER] = ASLEEP } goto PARK
  :: parker[OTHER] != DROWSY
  fi;
BACK:
  if
  :: d_step { asleep--; check_counts() }
  fi;
  sleepers = sleepers & ~BIT(OTHER);
  parker[OTHER] = AWAKE;
  goto SEARCH;

LEAVE:
  leave(OWNER);
RUN:
  if
  :: d_step { run_it(); inactive++; check_counts() }
  fi;
  goto SEARCH
}
#endif

proctype Setter(bit n) {
  n == 0 || executed == ALL_JOBS;
#ifndef BROKEN_OWNER_READ_AFTER
  assert(!gone[n]);             /* reads whom to wake */
#endif
  if
  :: d_step { latch[n] == SLEEPING -> assert(!gone[n]); latch[n] = SET; set = set | BIT(n) }
  :: d_step { latch[n] != SLEEPING -> assert(!gone[n]); latch[n] = SET; set = set | BIT(n) } goto DONE
  fi;
#ifdef BROKEN_OWNER_READ_AFTER
  assert(!gone[n]);
#endif
#ifndef BROKEN_SETTER_DOES_NOT_WAKE
  try_wake(OWNER, DONE, DONE);
#endif
DONE:
  skip
}

#if POSTERS
proctype Poster(byte me) {
  bit had = 0;                  /* jobs stood in the queue already */
  byte bits = 0;                /* candidates to wake */

  d_step { had = nempty(injector); injector!me; posted = posted | BIT(me) }
  if
  :: inactive == 0 -> goto DONE
  :: inactive != 0
  fi;
  if
  :: d_step { asleep == 0 || (!had && searchers != 0) -> announce_work(); had = 0 } goto DONE
  :: d_step { asleep != 0 && (had || searchers == 0) -> announce_work(); had = 0 }
  fi;
  if
  :: d_step { (sleepers & BIT(OWNER)) != 0 -> bits = sleepers & BIT(OTHER) }
  :: (sleepers & BIT(OWNER)) == 0 && (sleepers & BIT(OTHER)) != 0 -> goto SECOND
  :: sleepers == 0 -> goto DONE
  fi;
  try_wake(OWNER, REST, DONE);
REST:
  if
  :: bits != 0
  :: bits == 0 -> goto DONE
  fi;
SECOND:
  try_wake(OTHER, DONE, DONE);
DONE:
  bits = 0
}
#endif

#if WAKERS
proctype Waker() {
  try_wake(OWNER, DONE, DONE);
DONE:
  skip
}
#endif

#ifdef LIVE

/* [](set -> <>through) for each latch, [](posted -> <>executed) for each job. All these sets only grow, so this says it for
   all of them at once. */
ltl all_through { [] <> ((set & ~through) == 0 && posted == executed) }

#else

/* Nothing can move any more. */
proctype Monitor() {
end:
  timeout ->
  d_step {
    assert(set == ALL_LATCHES && through == ALL_LATCHES && latch[0] == SET);
    assert(executed == ALL_JOBS);
    assert(parker[OWNER] == AWAKE && asleep == HELPER && inactive == HELPER && sleepers == HELPER * BIT(OTHER));
    assert(!HELPER || parker[OTHER] == ASLEEP)
  }
}

#endif

init {
  byte i = 0;
  atomic {
    run Owner();
    run Setter(0);
#if HELPER
    parker[OTHER] = ASLEEP;
    run Helper();
#else
    run Setter(1);
#endif
#if POSTERS
    i = 1;
    do
    :: i <= POSTERS -> run Poster(i); i++
    :: else -> break
    od;
#endif
#if WAKERS
    i = 0;
    do
    :: i < WAKERS -> run Waker(); i++
    :: else -> break
    od;
#endif
    i = 0;
#ifndef LIVE
    run Monitor()
#endif
  }
}
