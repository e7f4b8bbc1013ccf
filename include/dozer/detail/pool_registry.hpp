// The pools that are alive, for whoever wants to look at them at any time without a lock.
#pragma once

#include <dozer/detail/platform.hpp>

#include <cstdint>

namespace dozer::inline DOZER_PLATFORM::detail {

class pool_core;

/// A list that only grows: the entry of a pool that is gone is used again. Who looks never waits; who takes a pool out
/// waits for those who look.
class pool_registry {
 public:
  class entry {
    friend class pool_registry;
    atomic<bool> taken_{false};         // by a pool that is there, or about to be
    atomic<pool_core*> pool_{nullptr};  // set while it may be looked at
    atomic<std::uint32_t> looking_{0};  // twice the number of those who look, and whether a remover has waited for them
    entry* next_ = nullptr;             // fixed once it is in the list
  };

  constexpr pool_registry() noexcept = default;

  /// An entry for a pool that is about to be, to be given to `remove` in the end. All that can fail is done here: when
  /// the pool has its threads, it is too late.
  [[nodiscard]] entry& reserve();
  /// From here on the pool may be looked at.
  static void show(entry& as, pool_core& pool) noexcept;
  static void remove(entry& of) noexcept;

  /// Calls f(pool) for each pool. An exception that leaves f ends it.
  template <class F>
  void for_each(F&& f) const {
    for (entry* at = first_.load(acquire); at != nullptr; at = at->next_) {  // pairs: registry.list (reserve)
      const look here(*at);
      if (pool_core* const pool = at->pool_.load(seq_cst)) {  // pairs: registry.look (remove, show)
        f(*pool);
      }
    }
  }

 private:
  static constexpr std::uint32_t awaited = 1, one_looks = 2;

  /// While it lives, no pool is taken out of that entry.
  class look {
   public:
    explicit look(entry& at) noexcept : at_(at) {
      at_.looking_.fetch_add(one_looks, seq_cst);  // pairs: registry.look (remove)
    }
    ~look() {
      if (at_.looking_.fetch_sub(one_looks, release) == (one_looks | awaited)) {  // pairs: registry.look (remove)
        unpark_all(&at_.looking_, channel::first);
      }
    }
    look(const look&) = delete;
    look& operator=(const look&) = delete;

   private:
    entry& at_;
  };

  atomic<entry*> first_{nullptr};
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
