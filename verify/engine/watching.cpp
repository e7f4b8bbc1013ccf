// What scenarios and people see of a run.
#include "machine.hpp"

#include <fmt/format.h>

namespace verify {

machine::location* machine::find(const void* address) noexcept {
  for (std::size_t i = locations_.size(); i-- > 1;) {
    if (locations_[i].address == address && !locations_[i].dead) {
      return &locations_[i];
    }
  }
  return nullptr;
}

machine::watched_location& machine::watched_at(const void* address) noexcept {
  location* const l = find(address);
  if (l == nullptr) {
    fail("scenario", "there is no atomic at that address");
  }
  if (l->watched < 0) {
    l->watched = static_cast<std::int16_t>(watched_.size());
    watched_.emplace_back();
  }
  return watched_[static_cast<std::size_t>(l->watched)];
}

void machine::watch(const void* address, watcher changed, void* context) noexcept {
  outside guard(*this);
  watched_location& w = watched_at(address);
  w.changed = changed;
  w.context = context;
}

void machine::listen(const void* address, listener accessed, void* context) noexcept {
  outside guard(*this);
  watched_location& w = watched_at(address);
  w.accessed = accessed;
  w.context = context;
}

void machine::name(const void* address, std::string text, printer print) noexcept {
  outside guard(*this);
  watched_location& w = watched_at(address);
  w.name = std::string(text.data(), text.size());
  w.print = print;
}

void machine::count_as_state(const void* from, std::size_t bytes) noexcept {
  const outside guard(*this);
  counted_.emplace_back(from, bytes);
}

void machine::reported(const void* field, std::uint64_t value) noexcept {
  if (exploring_ && reporter_ != nullptr) {
    outside guard(*this);
    reporter_(reporter_context_, field, value, current_);
  }
}

void machine::know_everything() noexcept {
  outside guard(*this);
  knowledge& mine = me().cur;
  for (const location& l : locations_) {
    if (l.slot >= 0) {
      mine.seen.at[l.slot] = static_cast<std::uint8_t>(l.stores - 1);
    }
  }
  for (thread_id t = 0; t < thread_count_; ++t) {
    mine.before.join(threads_[t].cur.before);
  }
}

std::uint64_t machine::peek(const void* address) const noexcept {
  const location* const l = const_cast<machine*>(this)->find(address);
  return l == nullptr ? 0 : stores_[static_cast<std::size_t>(l - locations_.data())][l->stores - 1].value;
}

void machine::poke(const void* address, std::uint64_t value) noexcept {
  if (location* const l = find(address)) {
    at(*l, l->stores - 1).value = value;
  }
}

std::string machine::location_name(std::uint32_t index) const {
  if (index < locations_.size() && locations_[index].watched >= 0) {
    const std::string& given = watched_[static_cast<std::size_t>(locations_[index].watched)].name;
    if (!given.empty()) {
      return given;
    }
  }
  return fmt::format("atomic {}", index);
}

std::string machine::value_text(std::uint32_t index, std::uint64_t value) const {
  if (index < locations_.size() && locations_[index].watched >= 0) {
    if (const printer print = watched_[static_cast<std::size_t>(locations_[index].watched)].print) {
      return fmt::format("{{{}}}", print(value));
    }
  }
  if (space_.contains(reinterpret_cast<const void*>(value))) {
    return fmt::format("&{}", space_.offset(reinterpret_cast<const void*>(value)));
  }
  return std::to_string(static_cast<std::int64_t>(value));
}

machine::reached_point& machine::reached_at(const site& where) noexcept {
  const outside guard(*this);
  return (*reached_)[{where.file_name(), where.line(), where.column()}];
}

step* machine::note(op_kind kind, order o, const site& where) {
  reach(where);
  if (steps_ == nullptr || !exploring_) {
    return nullptr;
  }
  steps_->push_back({current_, kind, o, 0, 0, 0, 0, 0, 0, false, preempts_, nullptr, where});
  preempts_ = false;
  return &steps_->back();
}

}  // namespace verify
