#include <dozer/detail/domain.hpp>

#include <dozer/detail/seat.hpp>

#include <string>

namespace dozer::inline DOZER_PLATFORM::detail {

namespace {

// Neither is ever destroyed: workers may still run while the process exits.
union domain_for_ever {
  constexpr domain_for_ever() noexcept : first() {}
  ~domain_for_ever() {}
  domain first;
};
constinit domain_for_ever of_the_process;
constinit domain* current = &of_the_process.first;  // changes only in a child of fork(), which has one thread

}  // namespace

domain& current_domain() noexcept { return *current; }

void set_current_domain(domain& d) noexcept { current = &d; }

token_from_outside::token_from_outside(domain& d) noexcept : held_(current_seat() == nullptr ? &d : nullptr) {
  if (held_ != nullptr) {
    held_->take_token();
  }
}

token_from_outside::~token_from_outside() {
  if (held_ != nullptr) {
    held_->drop_token();
  }
}

std::string to_string(census value) {
  return std::to_string(value.able()) + " able, " + std::to_string(value.waiting()) + " waiting, " +
         std::to_string(value.tokens()) + " tokens";
}

pool_registry::entry& pool_registry::reserve() {
  for (entry* at = first_.load(acquire); at != nullptr; at = at->next_) {  // pairs: registry.list (reserve)
    // relaxed: the exchange decides
    if (!at->taken_.load(relaxed) && !at->taken_.exchange(true, acquire)) {  // pairs: registry.taken (remove)
      return *at;
    }
  }
  auto* const made = new entry;
  made->taken_.store(true, relaxed);   // relaxed: the list publishes it
  made->next_ = first_.load(relaxed);  // relaxed: the exchange checks it
  // pairs: registry.list (for_each, reserve)
  while (!first_.compare_exchange_weak(made->next_, made, release, relaxed)) {
  }
  return *made;
}

void pool_registry::show(entry& as, pool_core& pool) noexcept {
  as.pool_.store(&pool, release);  // pairs: registry.look (for_each)
}

void pool_registry::remove(entry& of) noexcept {
  of.pool_.store(nullptr, seq_cst);  // pairs: registry.look (for_each)
  std::uint32_t seen = 0;
  while ((seen = of.looking_.load(seq_cst)) >= one_looks) {  // pairs: registry.look (for_each)
    // The mark stays in the entry: for the next pool it costs a needless wake at most.
    if ((seen & awaited) != 0 ||
        of.looking_.compare_exchange(seen, seen | awaited, relaxed, relaxed)) {  // relaxed: nothing to publish
      park(of.looking_, seen | awaited, channel::first);
    }
  }
  of.taken_.store(false, release);  // pairs: registry.taken (reserve)
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
