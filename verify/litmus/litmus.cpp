#include "litmus.hpp"

#include "../engine/explorer.hpp"

#include <dozer/detail/platform.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace verify {

namespace {

using namespace dozer::detail;

struct memory {
  atomic<std::uint32_t> x{0}, y{0}, z{0};
  int data = 0;
  int* heap = new int(0);
  std::stop_source* stop = new std::stop_source;  // whose atomics are the standard library's
  std::uint32_t r[6] = {};                        // what the threads have read
};

using body = void (*)(memory&);

/// Between the two, if the first one reads the newest value, only the caller knows whether it had read it before.
void look_again(memory& m) {
  m.r[1] = m.x.load(relaxed);
  static_cast<void>(m.x.load(relaxed));
}

struct litmus {
  const char* name;
  std::vector<body> threads;
  unsigned registers;  // so many digits of r are the outcome; 0: the last values of x and y
  std::vector<const char*> must;
  std::vector<const char*> must_not;
  const char* property = nullptr;  // the run must fail like this instead
  // C++20 allows these, and the machine does not show them, by design (docs/load-buffering.md). Should it ever do so,
  // that page and docs/verification.md claim too little.
  std::vector<const char*> not_shown = {};
};

const litmus* running = nullptr;
std::string outcome;
memory* shared = nullptr;

void run_thread(void* raw) noexcept { (*static_cast<body*>(raw))(*shared); }

void program_of(void*) {
  memory m;
  static_cast<void>(m.stop->stop_requested());
  shared = &m;
  dozer::detail::thread threads[max_threads];
  const std::size_t count = running->threads.size();
  for (std::size_t i = 0; i < count; ++i) {
    static_cast<void>(threads[i].start(&run_thread, const_cast<body*>(&running->threads[i]), 0));
  }
  on().go();
  for (std::size_t i = 0; i < count; ++i) {
    threads[i].join();
  }
  outside checker(on());
  outcome.clear();
  for (unsigned i = 0; i < running->registers; ++i) {
    outcome += static_cast<char>('0' + m.r[i]);
  }
  if (running->registers == 0) {
    outcome = std::to_string(on().peek(&m.x)) + std::to_string(on().peek(&m.y));
  }
}

/// A number that the compiler does not know, so that it lets a wrong access pass.
std::ptrdiff_t out_of_sight(std::ptrdiff_t n) {
  __asm__("" : "+r"(n));
  return n;
}

[[gnu::noinline]] std::uint32_t* out_of_a_frame() {
  std::uint32_t local[64] = {};
  std::uint32_t* p = local;
  __asm__("" : "+r"(p)::"memory");
  return p;
}

const std::vector<litmus>& all_litmus() {
  static const std::vector<litmus> all = {
      // ---- store buffering: may both read what was there before the other's store?
      {"SB relaxed",
       {[](memory& m) { m.x.store(1, relaxed), m.r[0] = m.y.load(relaxed); },
        [](memory& m) { m.y.store(1, relaxed), m.r[1] = m.x.load(relaxed); }},
       2,
       {"00", "01", "10", "11"},
       {}},
      {"SB release, acquire",
       {[](memory& m) { m.x.store(1, release), m.r[0] = m.y.load(acquire); },
        [](memory& m) { m.y.store(1, release), m.r[1] = m.x.load(acquire); }},
       2,
       {"00", "01", "10", "11"},
       {}},
      {"SB seq_cst",
       {[](memory& m) { m.x.store(1, seq_cst), m.r[0] = m.y.load(seq_cst); },
        [](memory& m) { m.y.store(1, seq_cst), m.r[1] = m.x.load(seq_cst); }},
       2,
       {"01", "10", "11"},
       {"00"}},
      {"SB seq_cst, one side acquire",
       {[](memory& m) { m.x.store(1, seq_cst), m.r[0] = m.y.load(acquire); },
        [](memory& m) { m.y.store(1, seq_cst), m.r[1] = m.x.load(seq_cst); }},
       2,
       {"00", "01", "10", "11"},
       {}},
      {"SB fences",
       {[](memory& m) { m.x.store(1, relaxed), fence_seq_cst(), m.r[0] = m.y.load(relaxed); },
        [](memory& m) { m.y.store(1, relaxed), fence_seq_cst(), m.r[1] = m.x.load(relaxed); }},
       2,
       {"01", "10", "11"},
       {"00"}},
      {"SB fence on one side",
       {[](memory& m) { m.x.store(1, relaxed), fence_seq_cst(), m.r[0] = m.y.load(relaxed); },
        [](memory& m) { m.y.store(1, relaxed), m.r[1] = m.x.load(relaxed); }},
       2,
       {"00", "01", "10", "11"},
       {}},
      {"SB fence on one side, seq_cst on the other",
       {[](memory& m) { m.x.store(1, relaxed), fence_seq_cst(), m.r[0] = m.y.load(relaxed); },
        [](memory& m) { m.y.store(1, seq_cst), m.r[1] = m.x.load(seq_cst); }},
       2,
       {"01", "10", "11"},
       {"00"}},
      {"SB with RMWs is no fence",
       {[](memory& m) { m.x.exchange(1, acq_rel), m.r[0] = m.y.load(relaxed); },
        [](memory& m) { m.y.exchange(1, acq_rel), m.r[1] = m.x.load(relaxed); }},
       2,
       {"00", "01", "10", "11"},
       {}},

      // ---- message passing: who sees the flag, does he see the data?
      {"MP relaxed",
       {[](memory& m) { m.x.store(1, relaxed), m.y.store(1, relaxed); },
        [](memory& m) { m.r[0] = m.y.load(relaxed), m.r[1] = m.x.load(relaxed); }},
       2,
       {"00", "01", "10", "11"},
       {}},
      {"MP release, acquire",
       {[](memory& m) { m.x.store(1, relaxed), m.y.store(1, release); },
        [](memory& m) { m.r[0] = m.y.load(acquire), m.r[1] = m.x.load(relaxed); }},
       2,
       {"00", "01", "11"},
       {"10"}},
      {"MP release only",
       {[](memory& m) { m.x.store(1, relaxed), m.y.store(1, release); },
        [](memory& m) { m.r[0] = m.y.load(relaxed), m.r[1] = m.x.load(relaxed); }},
       2,
       {"00", "01", "10", "11"},
       {}},
      {"MP fences",
       {[](memory& m) { m.x.store(1, relaxed), fence_seq_cst(), m.y.store(1, relaxed); },
        [](memory& m) { m.r[0] = m.y.load(relaxed), fence_seq_cst(), m.r[1] = m.x.load(relaxed); }},
       2,
       {"00", "01", "11"},
       {"10"}},
      {"MP by a stop",
       {[](memory& m) { m.x.store(1, relaxed), m.stop->request_stop(); },
        [](memory& m) { m.r[0] = m.stop->stop_requested(), m.r[1] = m.x.load(relaxed); }},
       2,
       {"00", "01", "11"},
       {"10"}},
      {"SB with a stop",
       {[](memory& m) { m.stop->request_stop(), m.r[0] = m.x.load(relaxed); },
        [](memory& m) { m.x.store(1, relaxed), m.r[1] = m.stop->stop_requested(); }},
       2,
       {"00", "01", "10", "11"},
       {}},
      {"one of two requests a stop",
       {[](memory& m) { m.r[0] = m.stop->request_stop(); }, [](memory& m) { m.r[1] = m.stop->request_stop(); }},
       2,
       {"01", "10"},
       {"00", "11"}},

      // ---- independent reads of independent writes
      {"IRIW seq_cst",
       {[](memory& m) { m.x.store(1, seq_cst); }, [](memory& m) { m.y.store(1, seq_cst); },
        [](memory& m) { m.r[0] = m.x.load(seq_cst), m.r[1] = m.y.load(seq_cst); },
        [](memory& m) { m.r[2] = m.y.load(seq_cst), m.r[3] = m.x.load(seq_cst); }},
       4,
       {"1111", "0000", "1011", "1110"},
       {"1010"}},
      {"three users of what one thread wrote",
       {[](memory& m) { m.x.store(1, relaxed), fence_seq_cst(); },
        [](memory& m) { m.r[0] = m.x.load(relaxed), m.y.store(1, relaxed); },
        [](memory& m) { fence_seq_cst(), m.r[1] = m.y.load(relaxed), m.r[2] = m.x.load(relaxed); }},
       3,
       {"000", "110", "111", "101", "100"},
       {}},
      {"IRIW release, acquire",
       {[](memory& m) { m.x.store(1, release); }, [](memory& m) { m.y.store(1, release); },
        [](memory& m) { m.r[0] = m.x.load(acquire), m.r[1] = m.y.load(acquire); },
        [](memory& m) { m.r[2] = m.y.load(acquire), m.r[3] = m.x.load(acquire); }},
       4,
       {"1111", "0000", "1011", "1110", "1010"},
       {}},

      // ---- a store seen by a reader, which then races with another store
      {"RWC fences",
       {[](memory& m) { m.x.store(1, relaxed); },
        [](memory& m) { m.r[0] = m.x.load(relaxed), fence_seq_cst(), m.r[1] = m.y.load(relaxed); },
        [](memory& m) { m.y.store(1, relaxed), fence_seq_cst(), m.r[2] = m.x.load(relaxed); }},
       3,
       {"101", "110", "111", "000", "010"},
       {"100"}},
      {"RWC without",
       {[](memory& m) { m.x.store(1, relaxed); },
        [](memory& m) { m.r[0] = m.x.load(acquire), m.r[1] = m.y.load(relaxed); },
        [](memory& m) { m.y.store(1, relaxed), m.r[2] = m.x.load(relaxed); }},
       3,
       {"100", "101", "110", "111"},
       {}},
      {"W+RWC fences",
       {[](memory& m) { m.x.store(1, relaxed), m.z.store(1, release); },
        [](memory& m) { m.r[0] = m.z.load(acquire), fence_seq_cst(), m.r[1] = m.y.load(relaxed); },
        [](memory& m) { m.y.store(1, relaxed), fence_seq_cst(), m.r[2] = m.x.load(relaxed); }},
       3,
       {"101", "110", "111", "000"},
       {"100"}},
      {"W+RWC without",
       {[](memory& m) { m.x.store(1, relaxed), m.z.store(1, release); },
        [](memory& m) { m.r[0] = m.z.load(acquire), m.r[1] = m.y.load(relaxed); },
        [](memory& m) { m.y.store(1, relaxed), fence_seq_cst(), m.r[2] = m.x.load(relaxed); }},
       3,
       {"100", "101", "110", "111"},
       {}},

      // ---- release sequences
      {"release sequence broken by a relaxed store of the same thread",
       {[](memory& m) { m.x.store(1, relaxed), m.y.store(1, release), m.y.store(2, relaxed); },
        [](memory& m) { m.r[0] = m.y.load(acquire), m.r[1] = m.x.load(relaxed); }},
       2,
       {"20", "21", "11", "00"},
       {"10"}},
      {"release sequence continued by an RMW",
       {[](memory& m) { m.x.store(1, relaxed), m.y.exchange(1, release); },
        [](memory& m) { m.y.fetch_add(1, relaxed); },
        [](memory& m) { m.r[0] = m.y.load(acquire), m.r[1] = m.x.load(relaxed); }},
       2,
       {"21", "11", "10", "00"},
       {"20"}},  // 10: the RMW came first

      // ---- load buffering: may both read what the other stores only afterwards?
      {"LB relaxed",
       {[](memory& m) { m.r[0] = m.x.load(relaxed), m.y.store(1, relaxed); },
        [](memory& m) { m.r[1] = m.y.load(relaxed), m.x.store(1, relaxed); }},
       2,
       {"00", "01", "10"},
       {},
       nullptr,
       {"11"}},
      {"LB release only",  // no processor and no compiler does it, but nothing happens before anything
       {[](memory& m) { m.r[0] = m.x.load(relaxed), m.y.store(1, release); },
        [](memory& m) { m.r[1] = m.y.load(relaxed), m.x.store(1, release); }},
       2,
       {"00", "01", "10"},
       {},
       nullptr,
       {"11"}},
      {"LB, one of two edges synchronised",
       {[](memory& m) { m.r[0] = m.x.load(relaxed), m.y.store(1, release); },
        [](memory& m) { m.r[1] = m.y.load(acquire), m.x.store(1, relaxed); }},
       2,
       {"00", "01", "10"},
       {"11"}},
      {"LB fences",
       {[](memory& m) { m.r[0] = m.x.load(relaxed), fence_seq_cst(), m.y.store(1, relaxed); },
        [](memory& m) { m.r[1] = m.y.load(relaxed), fence_seq_cst(), m.x.store(1, relaxed); }},
       2,
       {"00", "01", "10"},
       {"11"}},
      {"LB of three, one edge synchronised",
       {[](memory& m) { m.r[0] = m.x.load(relaxed), m.y.store(1, release); },
        [](memory& m) { m.r[1] = m.y.load(acquire), m.z.store(1, relaxed); },
        [](memory& m) { m.r[2] = m.z.load(relaxed), m.x.store(1, relaxed); }},
       3,
       {"000", "100", "010", "001", "011", "110", "101"},
       {},
       nullptr,
       {"111"}},
      {"LB of three, two edges synchronised",
       {[](memory& m) { m.r[0] = m.x.load(relaxed), m.y.store(1, release); },
        [](memory& m) { m.r[1] = m.y.load(acquire), m.z.store(1, release); },
        [](memory& m) { m.r[2] = m.z.load(acquire), m.x.store(1, relaxed); }},
       3,
       {"000", "100", "010", "001", "011", "110", "101"},
       {"111"}},

      // ---- coherence
      {"CoRR",
       {[](memory& m) { m.x.store(1, relaxed), m.x.store(2, relaxed); },
        [](memory& m) { m.r[0] = m.x.load(relaxed), m.r[1] = m.x.load(relaxed); }},
       2,
       {"00", "01", "02", "11", "12", "22"},
       {"10", "20", "21"}},
      {"CoWR",
       {[](memory& m) { m.x.exchange(1, relaxed), m.r[0] = m.x.load(relaxed); },
        [](memory& m) { m.x.exchange(2, relaxed); }},
       1,
       {"1", "2"},
       {"0"}},
      {"CoRW",
       {[](memory& m) { m.r[0] = m.x.load(relaxed), m.r[1] = m.x.exchange(1, relaxed); },
        [](memory& m) { m.x.exchange(2, relaxed); }},
       2,
       {"00", "02", "22"},
       {"20"}},
      {"2+2W on RMWs, the values at the end",  // 11: each RMW reads one that comes after it
       {[](memory& m) { m.x.exchange(1, relaxed), m.y.exchange(2, relaxed); },
        [](memory& m) { m.y.exchange(1, relaxed), m.x.exchange(2, relaxed); }},
       0,
       {"12", "21", "22"},
       {},
       nullptr,
       {"11"}},
      {"RMWs do not lose each other",
       {[](memory& m) { m.r[0] = m.x.fetch_add(1, relaxed); }, [](memory& m) { m.r[1] = m.x.fetch_add(1, relaxed); },
        [](memory& m) { m.r[2] = m.x.fetch_add(1, relaxed); }},
       3,
       {"012", "021", "102", "120", "201", "210"},
       {"000", "011", "001", "010", "100"}},
      {"a compare-exchange fails on an old value, and wins on the newest only",
       {[](memory& m) { m.x.store(1, relaxed), m.x.store(0, relaxed); },
        [](memory& m) {
          std::uint32_t seen = 0;
          m.r[0] = m.x.compare_exchange(seen, 7, relaxed, relaxed) ? 1 : 0;
          m.r[1] = seen;
        }},
       2,
       {"10", "01"},
       {"00"}},

      // ---- the process fence
      {"SB compiler fence, process fence",
       {[](memory& m) { m.x.store(1, relaxed), fence_light(), m.r[0] = m.y.load(relaxed); },
        [](memory& m) { m.y.store(1, relaxed), fence_process(), m.r[1] = m.x.load(relaxed); }},
       2,
       {"01", "10", "11"},
       {"00"}},
      {"SB compiler fence, plain fence",
       {[](memory& m) { m.x.store(1, relaxed), fence_light(), m.r[0] = m.y.load(relaxed); },
        [](memory& m) { m.y.store(1, relaxed), fence_seq_cst(), m.r[1] = m.x.load(relaxed); }},
       2,
       {"00", "01", "10", "11"},
       {}},
      {"SB two compiler fences, one process fence",
       {[](memory& m) { m.x.store(1, relaxed), fence_light(), m.r[0] = m.y.load(relaxed); },
        [](memory& m) { m.z.store(1, relaxed), fence_light(), m.r[1] = m.y.load(relaxed); },
        [](memory& m) {
          m.y.store(1, relaxed), fence_process(), m.r[2] = m.x.load(relaxed), m.r[3] = m.z.load(relaxed);
        }},
       4,
       {"0011", "1100", "1111", "0110", "1001"},
       {"0000", "0001", "0010", "1000", "0100"}},
      {"two compiler fences among themselves stay unordered",
       {[](memory& m) { m.x.store(1, relaxed), fence_light(), m.r[0] = m.y.load(relaxed); },
        [](memory& m) { m.y.store(1, relaxed), fence_light(), m.r[1] = m.x.load(relaxed); },
        [](memory&) { fence_process(); }},
       2,
       {"00", "01", "10", "11"},
       {}},

      // ---- plain memory
      {"plain data behind release and acquire",
       {[](memory& m) { m.data = 1, m.y.store(1, release); },
        [](memory& m) {
          m.r[0] = m.y.load(acquire);
          m.r[1] = m.r[0] == 1 ? static_cast<std::uint32_t>(m.data) : 5;
        }},
       2,
       {"05", "11"},
       {"10"}},
      {"plain data behind a relaxed flag is a race",
       {[](memory& m) { m.data = 1, m.y.store(1, relaxed); },
        [](memory& m) { m.r[0] = m.y.load(acquire) == 1 ? static_cast<std::uint32_t>(m.data) : 5; }},
       1,
       {},
       {},
       "race"},
      {"a sequentially consistent fence orders reads of atomics, and makes nothing happen before",
       {[](memory& m) { m.data = 1, fence_seq_cst(), m.r[0] = m.y.load(relaxed); },
        [](memory& m) { m.y.store(1, relaxed), fence_seq_cst(), m.r[1] = static_cast<std::uint32_t>(m.data); }},
       2,
       {},
       {},
       "race"},
      {"use after free",
       {[](memory& m) { m.y.store(1, release), delete m.heap; },
        [](memory& m) { m.r[0] = m.y.load(acquire) == 1 ? static_cast<std::uint32_t>(*m.heap) : 0; }},
       1,
       {},
       {},
       "use after free|race"},
      {"an atomic on a stack that has gone",
       {[](memory& m) {
          {
            atomic<std::uint32_t> here{0};
            m.heap = reinterpret_cast<int*>(&here);
            m.y.store(1, release);
          }
        },
        [](memory& m) {
          if (m.y.load(acquire) == 1) {
            m.r[0] = reinterpret_cast<atomic<std::uint32_t>*>(m.heap)->load(relaxed);
          }
        }},
       1,
       {},
       {},
       "use after free|race"},
      {"an atomic beyond the end of an array",
       {[](memory& m) {
         auto* const two = new atomic<std::uint32_t>[2];
         m.r[0] = two[out_of_sight(2)].load(relaxed);
       }},
       1,
       {},
       {},
       "out of bounds"},
      {"an atomic where nothing was ever allocated",
       {[](memory& m) {
         auto* const one = new atomic<std::uint32_t>;
         one[out_of_sight(1000)].store(1, relaxed);
         m.r[0] = 0;
       }},
       1,
       {},
       {},
       "out of bounds"},
      {"plain memory beyond the end of a block",
       {[](memory& m) {
         auto* const three = new char[3]();
         m.r[0] = static_cast<std::uint32_t>(three[out_of_sight(3)]);
       }},
       1,
       {},
       {},
       "out of bounds"},
      {"plain memory before a block", {[](memory& m) { m.heap[-out_of_sight(1)] = 1; }}, 1, {}, {}, "out of bounds"},
      {"the own stack, of a function that has returned",
       {[](memory& m) { m.r[0] = *out_of_a_frame(); }},
       1,
       {},
       {},
       "use after free"},
      {"a plain store comes after an exchange of what its thread knew",
       {[](memory& m) {
          std::uint32_t expected = 0;
          m.r[0] = m.x.compare_exchange(expected, 5, relaxed, relaxed) ? 1 : 0;
        },
        [](memory& m) { m.x.store(1, relaxed); }},
       1,
       {"0", "1"},
       {}},
      {"two plain stores that nothing orders",
       {[](memory& m) { m.x.store(1, relaxed); }, [](memory& m) { m.x.store(2, relaxed); }},
       0,
       {},
       {},
       "unordered stores"},

      // ---- parking
      {"parking and waking",
       {[](memory& m) { m.x.store(1, relaxed), unpark_one(&m.x, channel::first); },
        [](memory& m) {
          while (m.x.load(relaxed) == 0) {
            park(m.x, 0, channel::first);
          }
          m.r[0] = 1;
        }},
       1,
       {"1"},
       {}},
      {"waking before the change loses the wake",
       {[](memory& m) { unpark_one(&m.x, channel::first), m.x.store(1, relaxed); },
        [](memory& m) {
          while (m.x.load(relaxed) == 0) {
            park(m.x, 0, channel::first);
          }
        }},
       0,
       {},
       {},
       "deadlock"},
      // Two ways into what looks like one state: all that differs is what a thread has kept of its first look.
      {"states differ by what a thread keeps to itself",
       {[](memory& m) { m.x.store(1, relaxed); },
        [](memory& m) {
          const std::uint32_t first = m.x.load(relaxed);
          look_again(m);
          m.r[0] = first;
        }},
       2,
       {"00", "01", "11"},
       {"10"}},
      {"states differ by what a thread keeps on its stack",
       {[](memory& m) { m.x.store(1, relaxed); },
        [](memory& m) {
          std::uint32_t first = m.x.load(relaxed);
          __asm__ __volatile__("" : "+m"(first));
          look_again(m);
          __asm__ __volatile__("" : "+m"(first));
          m.r[0] = first;
        }},
       2,
       {"00", "01", "11"},
       {"10"}},
      {"states differ by what a thread keeps on the heap",
       {[](memory& m) { m.x.store(1, relaxed); },
        [](memory& m) {
          *m.heap = static_cast<int>(m.x.load(relaxed));
          look_again(m);
          m.r[0] = static_cast<std::uint32_t>(*m.heap);
        }},
       2,
       {"00", "01", "11"},
       {"10"}},
      {"states differ by what a thread keeps on another's stack",
       {[](memory& m) { m.x.store(1, relaxed); },
        [](memory& m) {
          m.r[0] = m.x.load(relaxed);
          look_again(m);
        }},
       2,
       {"00", "01", "11"},
       {"10"}},
      {"a thread that waits for what nobody does, and never parks, is found",
       {[](memory& m) { m.x.store(1, relaxed); },
        [](memory& m) {
          while (m.x.load(relaxed) != 2) {
          }
        }},
       0,
       {},
       {},
       "livelock"},
      {"a thread that naps while it waits lets the others go on",
       {[](memory& m) { m.x.store(1, relaxed); },
        [](memory& m) {
          while (m.x.load(relaxed) == 0) {
            ++m.r[1];  // each round is another state
            nap();
          }
          m.r[0] = m.x.load(relaxed);
        }},
       1,
       {"1"},
       {"0"}},
      {"one channel does not wake the other",
       {[](memory& m) { m.x.store(1, relaxed), unpark_one(&m.x, channel::second); },
        [](memory& m) {
          while (m.x.load(relaxed) == 0) {
            park(m.x, 0, channel::first);
          }
        }},
       0,
       {},
       {},
       "deadlock"},
  };
  return all;
}

struct seen {
  std::set<std::string> outcomes;
  std::string property;
  std::uint64_t executions = 0;
  bool complete = false;
};

seen search(const litmus& test, bool reduce, int preemptions = unbounded) {
  seen result;
  running = &test;
  at_end_of_run = [&] { result.outcomes.insert(outcome); };
  search_options options;
  options.deepen = false;
  options.reduce = reduce;
  options.preemptions = preemptions;
  options.bounds.stale_repeats = 3;
  const search_result got = explore(&program_of, nullptr, options);
  at_end_of_run = nullptr;
  result.executions = got.executions;
  result.complete = got.complete;
  result.property = got.failed && !got.complete ? got.failed->property : "";  // by the search, and not by chance before
  return result;
}

/// Empty: as it must be.
std::string check(const litmus& test, const seen& got) {
  if (test.property != nullptr) {
    return ("|" + std::string(test.property) + "|").find("|" + got.property + "|") != std::string::npos &&
                   got.property != ""
               ? ""
               : "should fail with " + std::string(test.property) + " but " +
                     (got.property.empty() ? "does not" : "fails with " + got.property);
  }
  if (!got.property.empty()) {
    return "fails with " + got.property;
  }
  if (!got.complete) {
    return "was not searched to the end";
  }
  for (const char* each : test.must) {
    if (!got.outcomes.contains(each)) {
      return std::string("never shows ") + each;
    }
  }
  for (const char* each : test.must_not) {
    if (got.outcomes.contains(each)) {
      return std::string("shows ") + each;
    }
  }
  for (const char* each : test.not_shown) {
    if (got.outcomes.contains(each)) {
      return std::string("shows ") + each + ", which was thought to be beyond the machine";
    }
  }
  return "";
}

}  // namespace

int run_litmus(bool verbose) {
  int wrong = 0;
  std::uint64_t executions = 0;
  for (const litmus& test : all_litmus()) {
    const seen reduced = search(test, true);
    const seen bounded = search(test, true, 50);  // a bound that binds nothing: its way of telling states apart
    const seen all = search(test, false);
    executions += reduced.executions;
    std::string error = check(test, reduced);
    if (error.empty() && test.property == nullptr &&
        (reduced.outcomes != all.outcomes || bounded.outcomes != all.outcomes)) {
      error = "has other outcomes with the reductions than without:";
      for (const std::string& each : all.outcomes) {
        error += " " + each;
      }
    }
    if (error.empty() && test.property != nullptr && check(test, all) != "") {
      error = "goes undetected without the reductions";
    }
    wrong += error.empty() ? 0 : 1;
    if (verbose || !error.empty()) {
      std::string outcomes;
      for (const std::string& each : reduced.outcomes) {
        outcomes += " " + each;
      }
      for (const char* each : test.not_shown) {
        outcomes += std::string(", not ") + each;
      }
      std::printf("  %-4s %-70s %6llu of %8llu executions%s%s%s\n", error.empty() ? "ok" : "BAD", test.name,
                  static_cast<unsigned long long>(reduced.executions), static_cast<unsigned long long>(all.executions),
                  test.property == nullptr ? outcomes.c_str() : (": " + reduced.property).c_str(),
                  error.empty() ? "" : "   ", error.c_str());
    }
  }
  std::printf("litmus: %zu tests, %d wrong, %llu executions\n", all_litmus().size(), wrong,
              static_cast<unsigned long long>(executions));
  return wrong;
}

}  // namespace verify
