// Extra seats, and the places of a pool that is a limit: who has one, and who is counted.
#include "scenarios.hpp"
#include "support.hpp"

namespace verify {

/// Two guests in extra seats, one of them twice: no guest is turned away, and no seat has two occupants.
void guests_in_extra_seats() {
  struct shared {
    seating seats{1, 0, 3};
    int stays[3] = {};  // in each seat, by its occupant
    void stay() {
      expect(seats.try_count_in_guest(), "place taken", "a guest is turned away, and there is room for it");
      seat* const mine = seats.take_extra();
      expect(mine != nullptr, "place taken", "a guest finds no seat, and one is free");
      expect(mine->index < seats.bound(), "place taken", "nobody looks at a seat that is occupied");
      ++stays[mine->index];
      expect(static_cast<std::int32_t>(seats.seated()) >= 2, "count drift", "fewer sit than the worker and the caller");
      seats.count_out_guest();
      seats.return_extra(*mine);
    }
  }* const s = new shared;
  outside_after_go("first", [s] {
    s->stay();
    s->stay();
  });
  outside_after_go("second", [s] { s->stay(); });
  on().go();
  on().until_quiet();
  on().know_everything();
  expect(s->seats.seated() == 1, "count drift", "all guests have left, and some are counted");
  expect(s->stays[1] + s->stays[2] == 3, "place taken", "two guests sit in one seat");
}

/// Three bodies at one place, two of which wait for it: each knows what the one before has done.
void bodies_at_one_place() {
  places roomy;
  roomy.limit_to(2);
  roomy.take();
  roomy.leave();
  expect(on().did(on().self()).wakes == 0, "needless wake",
         "a body leaves its place, and no body can have waited for one");
  struct shared {
    places bodies;
    int ran = 0;
    void run() {
      bodies.take();
      ++ran;
      bodies.leave();
    }
  }* const s = new shared;
  s->bodies.limit_to(1);
  s->bodies.take();
  for (const char* name : {"first", "second"}) {
    outside_after_go(name, [s] { s->run(); });
  }
  on().go();
  on().until_quiet(1);
  on().know_everything();
  expect(s->bodies.wanted(), "count drift", "a body waits for a place, and nobody knows");
  s->bodies.leave();
  s->run();
  on().until_quiet(2);
  on().know_everything();
  expect(s->ran == 3, "deadlock", "a body waits for ever for a place");
  expect(!s->bodies.wanted(), "count drift", "no body waits for a place, and one is said to");
}

}  // namespace verify
