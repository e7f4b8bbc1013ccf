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
    atomic<pool_core*> pool_{nullptr};
    atomic<std::uint32_t> looking_{0};  // twice the number of those who look, and whether a remover has waited for them
    entry* next_ = nullptr;             // fixed once it is in the list
  };

  constexpr pool_registry() noexcept = default;

  /// The pool's entry, to be given to `remove`.
  [[nodiscard]] entry& add(pool_core& pool);
  static void remove(entry& of) noexcept;

  /// f(pool) for each.
  template <class F>
  void for_each(F&& f) const noexcept {
    for (entry* at = first_.load(acquire); at != nullptr; at = at->next_) {  // pairs: registry.list (add)
      at->looking_.fetch_add(one_looks, seq_cst);                            // pairs: registry.look (remove)
      if (pool_core* const pool = at->pool_.load(seq_cst)) {                 // pairs: registry.look (remove, add)
        f(*pool);
      }
      if (at->looking_.fetch_sub(one_looks, release) == (one_looks | awaited)) {  // pairs: registry.look (remove)
        unpark_all(&at->looking_, channel::first);
      }
    }
  }

 private:
  static constexpr std::uint32_t awaited = 1, one_looks = 2;

  atomic<entry*> first_{nullptr};
};

}  // namespace dozer::inline DOZER_PLATFORM::detail
