// Radix sort on several threads.
#pragma once

#include <dozer/detail/blocks.hpp>
#include <dozer/detail/digit_counts.hpp>
#include <dozer/detail/digit_key.hpp>
#include <dozer/detail/radix_sort.hpp>
#include <dozer/detail/raw_buffer.hpp>
#include <dozer/detail/runs.hpp>
#include <dozer/loop_options.hpp>
#include <dozer/thread_pool.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

namespace dozer::inline DOZER_PLATFORM::detail {

/// A stop is looked at between passes and buckets: within a pass elements are in two places.
template <class T, class Key>
class parallel_radix_sort {
 public:
  parallel_radix_sort(Key key, const loop_options& options) : alone_{key}, options_(options) {}

  /// One thread should sort it.
  [[nodiscard]] bool is_small(std::size_t count) const noexcept {
    return count <= std::max(options_.grain, small) && count <= UINT32_MAX;
  }
  /// As radix_sort::sort, for any number.
  void sort(T* from, T* other, std::size_t count, bool to_other) const {
    if (!is_small(count)) {
      try {
        sort_together(from, other, count, to_other);
        return;
      } catch (const std::bad_alloc&) {  // nothing has been moved
        if (count > UINT32_MAX) {
          throw;
        }
      }
    }
    alone_.sort(from, other, count, to_other);
  }

 private:
  using serial = radix_sort<T, Key>;
  using digits = typename serial::digits;

  static constexpr std::size_t small = 16 * 1024;  // elements that a thread sorts alone, some 100 us

  void sort_together(T* from, T* other, std::size_t count, bool to_other) const {
    const digit_facts<digits> facts = look_at(from, count);
    if (facts.falls == count - 1) {
      detail::reverse_in_parallel(from, count);
    }
    if (facts.falls == 0 || facts.falls == count - 1 || stopped()) {
      copy_if(to_other, from, other, count);
      return;
    }
    const digit d = highest_digit(facts.varying, digit_counts::bits);
    digit_counts counts(count, stretch_of(count));
    for_stretches(counts, [&](std::size_t s, std::size_t begin, std::size_t n) {
      alone_.count_digits(from + begin, n, d, counts.of(s));
    });
    counts.add_up();
    for_stretches(counts, [&](std::size_t s, std::size_t begin, std::size_t n) {
      auto next = counts.copy_of(s);
      alone_.scatter(from + begin, n, d, other, next.data());
    });
    if (d.shift == 0) {
      copy_if(!to_other, other, from, count);
      return;
    }
    std::array<bool, digit_counts::buckets> begun{};  // what is begun ends: it needs no memory
    const auto each = [&](std::uint64_t bucket, std::uint64_t end) {
      for (; bucket != end; ++bucket) {
        begun[bucket] = true;
        const std::size_t begin = counts.begin_of(bucket), n = counts.begin_of(bucket + 1) - begin;
        if (stopped()) {
          copy_if(!to_other, other + begin, from + begin, n);
        } else if (n > count / 8) {
          sort(other + begin, from + begin, n, !to_other);
        } else if (n != 0) {
          alone_.sort(other + begin, from + begin, n, !to_other);
        }
      }
    };
    const std::uint64_t buckets = std::uint64_t{1} << d.bits;
    try {
      for_blocks(buckets, each, {.grain = 1});
    } catch (const std::bad_alloc&) {  // no memory for a fork, and elements are in two places
      for (std::uint64_t bucket = 0; bucket != buckets; ++bucket) {
        if (!begun[bucket]) {
          each(bucket, bucket + 1);
        }
      }
    }
  }

  [[nodiscard]] bool stopped() const noexcept { return options_.stop.stop_requested(); }
  [[nodiscard]] std::size_t stretch_of(std::size_t count) const {
    return std::clamp<std::size_t>(count / (8 * std::size_t{current_num_threads()}), small / 2, UINT32_MAX);
  }
  void copy_if(bool wanted, const T* from, T* to, std::size_t count) const {
    if (wanted) {
      try {
        for_blocks(
            count,
            [=](std::uint64_t first, std::uint64_t last) { serial::copy(from + first, to + first, last - first); },
            {.grain = small});
      } catch (const std::bad_alloc&) {  // no memory for a fork
        serial::copy(from, to, count);
      }
    }
  }
  template <class F>
  void for_stretches(const digit_counts& counts, const F& f) const {
    for_blocks(counts.stretches(),
               [&](std::uint64_t s, std::uint64_t end) {
                 for (; s != end; ++s) {
                   f(s, counts.stretch_begin(s), counts.stretch_begin(s + 1) - counts.stretch_begin(s));
                 }
               },
               {.grain = 1});
  }
  [[nodiscard]] digit_facts<digits> look_at(const T* from, std::size_t count) const {
    gathered<digit_facts<digits>> parts;
    const auto look = [&](std::uint64_t first, std::uint64_t last) {
      return alone_.look_at(from + first, last - first, *from, from[first == 0 ? 0 : first - 1]);
    };
    const auto merge = [](digit_facts<digits>& to, const digit_facts<digits>& more) {
      to.varying = static_cast<digits>(to.varying | more.varying);
      to.falls += more.falls;
    };
    gather(count, look,
           [&](digit_facts<digits>& to, std::uint64_t first, std::uint64_t last) { merge(to, look(first, last)); },
           parts, {.grain = small});
    digit_facts<digits> all;
    parts.take_in_order([&](digit_facts<digits>&& part) { merge(all, part); });
    return all;
  }

  serial alone_;
  const loop_options& options_;
};

/// False: there is no memory.
template <class T, class Key>
[[nodiscard]] bool sort_by_digits(T* from, std::size_t count, Key key, const loop_options& options) {
  if (count <= radix_sort<T, Key>::few) {
    radix_sort<T, Key>{key}.sort(from, nullptr, count, false);
    return true;
  }
  const raw_buffer buffer(count, sizeof(T), alignof(T));
  if (buffer.get() == nullptr) {
    return false;
  }
  const parallel_radix_sort<T, Key> sorter(key, options);
  in_a_pool(!sorter.is_small(count), [&] { sorter.sort(from, static_cast<T*>(buffer.get()), count, false); });
  return true;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
