// Every algorithm with elements that are hard to handle: over-aligned ones that know whether they live, count what is
// done to them, and throw at the k-th time.
#include "support.hpp"

#include <dozer/algorithm.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <compare>
#include <cstdint>
#include <functional>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

enum operation : std::size_t { copying, moving, swapping, comparing, calling, operations, nothing = operations };
constexpr const char* names[] = {"copy", "move", "swap", "comparison", "call", "nothing"};

struct kth_time {};

/// What was done to elements, or by functions that got them.
class watch {
 public:
  /// From now on; the k-th operation of that kind throws. Slow: the first one and that one take long, so that other
  /// threads take part, and go on meanwhile.
  static void begin(operation kind, long k, bool slow) {
    for (auto& each : done_) {
      each = 0;
    }
    has_thrown_ = false;
    is_slow_ = slow;
    k_ = k;
    kind_ = kind;
  }
  static void count(operation kind) {
    const long number = done_[kind].fetch_add(1, std::memory_order_relaxed) + 1;
    const bool throws = kind == kind_.load(std::memory_order_relaxed) && number == k_;
    if ((throws || number == 1) && is_slow_.load(std::memory_order_relaxed)) {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    if (throws) {
      has_thrown_ = true;
      throw kth_time();
    }
  }
  static void end() { kind_ = nothing; }
  [[nodiscard]] static bool has_thrown() { return has_thrown_; }
  [[nodiscard]] static long done(operation kind) { return done_[kind]; }

  static inline std::atomic<long> alive{0}, misused{0};

 private:
  static inline std::array<std::atomic<long>, operations> done_{};
  static inline std::atomic<operation> kind_{nothing};
  static inline std::atomic<long> k_{0};
  static inline std::atomic<bool> has_thrown_{false}, is_slow_{false};
};

/// An int. If its moves are said to be safe, the watch must not make them throw.
template <bool safe_moves>
class alignas(64) hard {
 public:
  hard() : hard(0) {}
  explicit hard(int v) : value(v) { begin(); }
  hard(const hard& other) {
    watch::count(copying);
    value = other.checked().value;
    begin();
  }
  hard(hard&& other) noexcept(safe_moves) {
    watch::count(moving);
    value = std::exchange(other.checked().value, gone);
    begin();
  }
  hard& operator=(const hard& other) {
    watch::count(copying);
    checked().value = other.checked().value;
    return *this;
  }
  hard& operator=(hard&& other) noexcept(safe_moves) {
    watch::count(moving);
    checked().value = std::exchange(other.checked().value, gone);
    return *this;
  }
  ~hard() {
    checked();
    self_ = nullptr;
    --watch::alive;
  }
  friend void swap(hard& a, hard& b) noexcept(safe_moves) {
    watch::count(swapping);
    std::swap(a.checked().value, b.checked().value);
  }
  friend bool operator==(const hard& a, const hard& b) { return (a <=> b) == 0; }
  friend std::strong_ordering operator<=>(const hard& a, const hard& b) {
    watch::count(comparing);
    return a.checked().value <=> b.checked().value;
  }
  friend hard operator+(const hard& a, const hard& b) {
    watch::count(calling);
    return hard((a.checked().value + b.checked().value) % 100);
  }
  [[nodiscard]] bool is_alive() const { return self_ == this; }

  static constexpr int gone = -1;  // moved from
  int value = gone;

 private:
  void begin() {
    // The compiler takes the alignment for granted if it knows where the number comes from.
    const volatile auto place = reinterpret_cast<std::uintptr_t>(this);
    watch::misused += place % alignof(hard) != 0;
    ++watch::alive;
    self_ = this;
  }
  const hard& checked() const {
    watch::misused += !is_alive();
    return *this;
  }
  hard& checked() {
    watch::misused += !is_alive();
    return *this;
  }

  const hard* volatile self_ = nullptr;  // so that a store in the destructor is not left out
};

/// What algorithms are called with: `a` in any order, `sorted` with the same elements, and room for the output.
template <class T>
struct given {
  given(const std::vector<int>& numbers, const dozer::loop_options& with)
      : a(numbers.begin(), numbers.end()), out(2 * numbers.size()), options(with) {
    std::vector<int> in_order = numbers;
    std::sort(in_order.begin(), in_order.end());
    sorted = std::vector<T>(in_order.begin(), in_order.end());
  }
  auto middle() { return a.begin() + static_cast<std::ptrdiff_t>(a.size() / 2); }

  std::vector<T> a, sorted, out;
  dozer::loop_options options;
};

/// What an algorithm does to `a`. If it changes the order only, no element is lost whatever a function throws.
enum class changes { nothing, elements, order };

template <class T>
struct algorithm {
  const char* name;
  changes what;
  double copies, moves;  // at most so many for each element; a swap is three moves
  void (*run)(given<T>&);
};

using element = hard<false>;
using data = given<element>;
constexpr double many = 40;  // of order log n

// One type for each kind of function, so that few are compiled.
constexpr auto is_odd = [](const auto& e) { return watch::count(calling), e.value % 2 != 0; };
constexpr auto always = [](const element&) { return watch::count(calling), true; };
constexpr auto never = [](const element&) { return watch::count(calling), false; };
constexpr auto next = [](const element& e) { return watch::count(calling), element(e.value + 1); };
constexpr auto sum = [](const element& a, const element& b) { return a + b; };

const algorithm<element> all[] = {
    {"for_each", changes::nothing, 0, 0,
     [](data& d) {
       dozer::for_each(
           d.a, [](element&) { watch::count(calling); }, d.options);
     }},
    {"transform", changes::nothing, 0, 1, [](data& d) { dozer::transform(d.a, d.out.begin(), next, d.options); }},
    {"transform of two", changes::nothing, 0, 1,
     [](data& d) { dozer::transform(d.a, d.sorted, d.out.begin(), sum, d.options); }},
    {"copy", changes::nothing, 1, 0, [](data& d) { dozer::copy(d.a, d.out.begin(), d.options); }},
    {"fill", changes::elements, 1, 0, [](data& d) { dozer::fill(d.a, element(3), d.options); }},
    {"generate", changes::elements, 0, 1,
     [](data& d) {
       dozer::generate(
           d.a, [] { return watch::count(calling), element(3); }, d.options);
     }},
    {"reverse", changes::order, 0, 1.5, [](data& d) { dozer::reverse(d.a, d.options); }},
    {"reduce", changes::nothing, 0.2, 5, [](data& d) { static_cast<void>(dozer::reduce(d.a, element(), d.options)); }},
    {"transform_reduce", changes::nothing, 0, 5,
     [](data& d) { static_cast<void>(dozer::transform_reduce(d.a, element(), std::plus<>(), next, d.options)); }},
    {"transform_reduce of two", changes::nothing, 0, 5,
     [](data& d) {
       static_cast<void>(dozer::transform_reduce(d.a, d.sorted, element(), std::plus<>(), sum, d.options));
     }},
    {"reduce_deterministic", changes::nothing, 0.2, 5,
     [](data& d) { static_cast<void>(dozer::reduce_deterministic(d.a, element(), d.options)); }},
    {"count", changes::nothing, 0, 0, [](data& d) { static_cast<void>(dozer::count(d.a, element(3), d.options)); }},
    {"count_if", changes::nothing, 0, 0, [](data& d) { static_cast<void>(dozer::count_if(d.a, is_odd, d.options)); }},
    {"min_element", changes::nothing, 0, 0, [](data& d) { static_cast<void>(dozer::min_element(d.a, d.options)); }},
    {"max_element", changes::nothing, 0, 0, [](data& d) { static_cast<void>(dozer::max_element(d.a, d.options)); }},
    {"minmax_element", changes::nothing, 0, 0,
     [](data& d) { static_cast<void>(dozer::minmax_element(d.a, d.options)); }},
    {"histogram", changes::nothing, 0, 0,
     [](data& d) { static_cast<void>(dozer::histogram(d.a, 2, is_odd, d.options)); }},
    {"find", changes::nothing, 0, 0, [](data& d) { static_cast<void>(dozer::find(d.a, element(-3), d.options)); }},
    {"find_if", changes::nothing, 0, 0, [](data& d) { static_cast<void>(dozer::find_if(d.a, never, d.options)); }},
    {"find_if_not", changes::nothing, 0, 0,
     [](data& d) { static_cast<void>(dozer::find_if_not(d.a, always, d.options)); }},
    {"any_of", changes::nothing, 0, 0, [](data& d) { static_cast<void>(dozer::any_of(d.a, never, d.options)); }},
    {"all_of", changes::nothing, 0, 0, [](data& d) { static_cast<void>(dozer::all_of(d.a, always, d.options)); }},
    {"none_of", changes::nothing, 0, 0, [](data& d) { static_cast<void>(dozer::none_of(d.a, never, d.options)); }},
    {"equal", changes::nothing, 0, 0, [](data& d) { static_cast<void>(dozer::equal(d.a, d.a, d.options)); }},
    {"mismatch", changes::nothing, 0, 0, [](data& d) { static_cast<void>(dozer::mismatch(d.a, d.a, d.options)); }},
    {"is_sorted", changes::nothing, 0, 0, [](data& d) { static_cast<void>(dozer::is_sorted(d.sorted, d.options)); }},
    {"inclusive_scan", changes::nothing, 1.1, 3, [](data& d) { dozer::inclusive_scan(d.a, d.out.begin(), d.options); }},
    {"exclusive_scan", changes::nothing, 0.1, 4,
     [](data& d) { dozer::exclusive_scan(d.a, d.out.begin(), element(), d.options); }},
    {"transform_inclusive_scan", changes::nothing, 1, 3,
     [](data& d) { dozer::transform_inclusive_scan(d.a, d.out.begin(), std::plus<>(), next, d.options); }},
    {"transform_exclusive_scan", changes::nothing, 0, 4,
     [](data& d) { dozer::transform_exclusive_scan(d.a, d.out.begin(), element(), std::plus<>(), next, d.options); }},
    {"copy_if", changes::nothing, 1, 0, [](data& d) { dozer::copy_if(d.a, d.out.begin(), is_odd, d.options); }},
    {"remove_if", changes::elements, 0, 2,
     [](data& d) { static_cast<void>(dozer::remove_if(d.a, is_odd, d.options)); }},
    {"unique", changes::elements, 0, 2, [](data& d) { static_cast<void>(dozer::unique(d.a, d.options)); }},
    {"partition", changes::order, 0, 4, [](data& d) { dozer::partition(d.a, is_odd, d.options); }},
    {"stable_partition", changes::order, 0, many, [](data& d) { dozer::stable_partition(d.a, is_odd, d.options); }},
    {"sort", changes::order, 0, many, [](data& d) { dozer::sort(d.a, d.options); }},
    {"stable_sort", changes::order, 0, many, [](data& d) { dozer::stable_sort(d.a, d.options); }},
    {"nth_element", changes::order, 0, many, [](data& d) { dozer::nth_element(d.a, d.middle(), d.options); }},
    {"partial_sort", changes::order, 0, many, [](data& d) { dozer::partial_sort(d.a, d.middle(), d.options); }},
    {"merge", changes::nothing, 2, 0, [](data& d) { dozer::merge(d.sorted, d.sorted, d.out.begin(), d.options); }},
};
using safe = hard<true>;
const algorithm<safe> with_safe_moves[] = {
    {"stable_partition", changes::order, 0, 4, [](given<safe>& d) { dozer::stable_partition(d.a, is_odd, d.options); }},
    {"stable_sort", changes::order, 0, many, [](given<safe>& d) { dozer::stable_sort(d.a, d.options); }},
};

template <class T>
std::vector<int> values(const std::vector<T>& elements) {
  std::vector<int> found;
  for (const T& e : elements) {
    found.push_back(e.value);
  }
  return found;
}

/// Runs it, and makes the k-th operation of a kind throw. Says what is wrong then, if anything is.
template <class T>
std::string run(const algorithm<T>& tested, const std::vector<int>& numbers, const dozer::loop_options& options,
                bool slow = false, operation kind = nothing, long k = 0) {
  std::string wrong;
  const auto expect = [&](bool holds, const char* what) { wrong += holds ? "" : std::string(" ") + what; };
  const long before = watch::alive;
  {
    given<T> with(numbers, options);
    const long with_data = watch::alive;
    bool has_left = false;
    watch::begin(kind, k, slow);
    try {
      tested.run(with);
    } catch (const kth_time&) {
      has_left = true;
    }
    watch::end();
    expect(has_left == watch::has_thrown(), "The exception did not leave.");
    expect(watch::alive == with_data, "An element leaked or was destroyed twice.");
    for (const std::vector<T>* const v : {&with.a, &with.sorted, &with.out}) {
      expect(std::ranges::all_of(*v, &T::is_alive), "An element is dead.");
    }
    std::vector<int> now = values(with.a), then = numbers;
    if (tested.what == changes::order && kind != moving) {
      std::sort(now.begin(), now.end());
      std::sort(then.begin(), then.end());
    }
    expect(now == then || tested.what == changes::elements || (tested.what == changes::order && kind == moving),
           "The elements are not those that were there.");
  }
  expect(watch::alive == before, "An element was destroyed twice.");
  expect(watch::misused.exchange(0) == 0, "An element was used that did not live, or stood in a wrong place.");
  return wrong.empty() ? wrong : tested.name + (" at " + std::to_string(k)) + ". " + names[kind] + ":" + wrong;
}

dozer::thread_pool& pool_of(unsigned threads) {
  static std::array<dozer::thread_pool, 3> pools{dozer::thread_pool(1), dozer::thread_pool(2), dozer::thread_pool(8)};
  return pools[threads == 1 ? 0 : threads == 2 ? 1 : 2];
}

/// First without an exception, to know how many operations there are; then with one at any of them.
template <class T>
std::string throw_at_any(const algorithm<T>& tested, const std::vector<int>& numbers,
                         const dozer::loop_options& options, bool slow, std::minstd_rand& random) {
  std::string wrong = run(tested, numbers, options, slow);
  std::vector<std::pair<operation, long>> done;
  for (const operation kind : {copying, moving, swapping, comparing, calling}) {
    const bool is_safe = std::is_nothrow_move_assignable_v<T> && (kind == moving || kind == swapping);
    if (!is_safe && watch::done(kind) != 0) {
      done.emplace_back(kind, watch::done(kind));
    }
  }
  if (!done.empty()) {
    const auto [kind, times] = done[random() % done.size()];
    wrong += run(tested, numbers, options, slow, kind, 1 + static_cast<long>(random()) % times);
  }
  return wrong;
}

enum class place { outside, inside, nested, isolated };

/// Its result, from there.
std::string call_from(place where, unsigned threads, const std::function<std::string()>& f) {
  switch (where) {
    case place::outside:
      return f();
    case place::inside:
      return pool_of(threads).install(f);
    case place::nested:
      return pool_of(threads).install([&] {
        std::string result;
        dozer::parallel_for(0, 8, [&](int i) {
          if (i == 5) {
            result = f();
          }
        });
        return result;
      });
    case place::isolated:
      return pool_of(threads).install([&] { return dozer::isolate(f); });
  }
  return "nowhere";
}

TEST(HardElements, AreAllAliveWhateverThrowsAndTheExceptionLeaves) {
  EXPECT_TRUE(dozer_test::check_slow([] {
    const auto numbers = dozer_test::any_numbers(std::min<std::size_t>(dozer_test::any_size(), 1000), 100);
    const auto options = dozer_test::any_options();
    const auto threads = *rc::gen::element(1u, 2u, 8u);
    const auto where = *rc::gen::element(place::outside, place::inside, place::nested, place::isolated);
    const auto slow = *rc::gen::element(false, false, true);
    std::minstd_rand random(*rc::gen::inRange(1u, 1u << 30));
    const std::string wrong = call_from(where, threads, [&] {
      std::string here;
      for (const auto& each : all) {
        here += throw_at_any(each, numbers, options, slow, random);
      }
      for (const auto& each : with_safe_moves) {
        here += throw_at_any(each, numbers, options, slow, random);
      }
      return here;
    });
    RC_ASSERT(wrong == "");
  }));
}

/// A stop that was requested before: no function is called, and no element is lost.
TEST(HardElements, NothingIsBegunAfterAStop) {
  std::vector<int> numbers(2000);
  std::generate(numbers.begin(), numbers.end(), [i = 0]() mutable { return i++ * 7919 % 100; });
  std::stop_source stop;
  stop.request_stop();
  for (const place where : {place::outside, place::inside, place::isolated}) {
    const std::string wrong = call_from(where, 8, [&] {
      std::string here;
      for (const auto& each : all) {
        here += run(each, numbers, {.stop = stop.get_token()});
        if (const long begun = watch::done(comparing) + watch::done(calling) + watch::done(swapping); begun != 0) {
          here += std::string(each.name) + ": " + std::to_string(begun) + " operations after the stop. ";
        }
      }
      return here;
    });
    EXPECT_EQ(wrong, "");
  }
}

template <class T>
void expect_few_copies_and_moves(const algorithm<T>& tested, const std::vector<int>& numbers) {
  for (const unsigned threads : {1u, 8u}) {
    for (const std::size_t grain : {0u, 64u}) {
      EXPECT_EQ(pool_of(threads).install([&] { return run(tested, numbers, {.grain = grain}); }), "");
      const double copies = static_cast<double>(watch::done(copying)) / static_cast<double>(numbers.size());
      const double moves =
          static_cast<double>(watch::done(moving) + 3 * watch::done(swapping)) / static_cast<double>(numbers.size());
      EXPECT_LE(copies, tested.copies) << tested.name << " with " << threads << " threads and a grain of " << grain;
      EXPECT_LE(moves, tested.moves) << tested.name << " with " << threads << " threads and a grain of " << grain;
    }
  }
}

TEST(HardElements, AreSeldomCopiedOrMoved) {
  constexpr int size = 2000;
  std::vector<int> numbers(size);
  for (int i = 0; i < size; ++i) {
    numbers[static_cast<std::size_t>(i)] = i / 2 * 7919 % size / 30;  // two neighbours are equal
  }
  for (const auto& each : all) {
    expect_few_copies_and_moves(each, numbers);
  }
  for (const auto& each : with_safe_moves) {
    expect_few_copies_and_moves(each, numbers);
  }
}

}  // namespace
