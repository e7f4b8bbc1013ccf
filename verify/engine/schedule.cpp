#include "schedule.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstring>

namespace verify {

namespace {

constexpr char sign_of(const deviation& d) {
  switch (d.kind) {
    case choice::thread:
      return d.stuck ? '|' : '>';
    case choice::read:
      return '~';
    case choice::spurious:
      return '!';
    case choice::pick:
      return '?';
  }
  return ' ';
}

}  // namespace

std::string to_string(const schedule& s) {
  std::string text;
  for (const deviation& d : s) {
    text += fmt::format("{}{}.{}{}{}", text.empty() ? "" : ",", d.by, d.at, sign_of(d), d.chosen);
  }
  return text;
}

std::optional<schedule> parse_schedule(std::string_view text) {
  schedule s;
  const char* p = text.data();
  const char* const end = p + text.size();
  const auto number = [&](auto& into) {
    const auto got = std::from_chars(p, end, into);
    p = got.ptr;
    return got.ec == std::errc();
  };
  while (p != end) {
    deviation d{};
    if (!number(d.by) || d.by >= max_threads || p == end || *p++ != '.' || !number(d.at) || p == end) {
      return std::nullopt;
    }
    const char sign = *p++;
    switch (sign) {
      case '>':
      case '|':
        d.kind = choice::thread;
        d.stuck = sign == '|';
        break;
      case '~':
        d.kind = choice::read;
        break;
      case '!':
        d.kind = choice::spurious;
        break;
      case '?':
        d.kind = choice::pick;
        break;
      default:
        return std::nullopt;
    }
    if (!number(d.chosen) || (p != end && *p++ != ',')) {
      return std::nullopt;
    }
    s.push_back(d);
  }
  return s;
}

thread_id keeping_chooser::ordinary(thread_id current, thread_mask enabled) noexcept {
  return (enabled & bit(current)) != 0 ? current : static_cast<thread_id>(__builtin_ctz(enabled));
}

bool replay::run() {
  begin();
  machine_.everything_visible(true);
  machine_.run(*this);
  machine_.everything_visible(false);
  return machine_.failed() != nullptr;
}

thread_id replay::next_thread(thread_id current, thread_mask enabled, thread_mask spurious) {
  const bool stuck = (enabled & bit(current)) == 0;
  const std::uint32_t at = machine_.operations(current);
  for (const deviation& d : schedule_) {
    if (d.kind == choice::thread && d.by == current && d.at == at && d.stuck == stuck && d.chosen < max_threads &&
        ((enabled | spurious) & bit(static_cast<thread_id>(d.chosen))) != 0) {
      return keep_thread(current, enabled, static_cast<thread_id>(d.chosen));
    }
  }
  return ordinary(current, enabled);
}

unsigned replay::choose(choice kind, unsigned options) {
  const thread_id by = machine_.self();
  const std::uint32_t at = machine_.operations(by);
  for (const deviation& d : schedule_) {
    if (d.kind == kind && d.by == by && d.at == at && d.chosen < options) {
      return keep(kind, d.chosen);
    }
  }
  return 0;
}

schedule minimise(machine& m, schedule s, const std::string& property) {
  const auto still_fails = [&](const schedule& shorter, schedule& really_taken) {
    replay again(m, shorter);
    if (!again.run() || m.failed()->property != property) {
      return false;
    }
    really_taken = again.taken();
    return true;
  };
  schedule taken;
  if (!still_fails(s, taken)) {
    return s;
  }
  s = taken;
  for (bool shorter = true; shorter;) {
    shorter = false;
    for (std::size_t chunk = s.size() / 2 + 1; chunk != 0; chunk /= 2) {
      for (std::size_t i = s.size(); i-- > 0;) {
        if (i + chunk > s.size()) {
          continue;
        }
        schedule without = s;
        without.erase(without.begin() + static_cast<std::ptrdiff_t>(i),
                      without.begin() + static_cast<std::ptrdiff_t>(i + chunk));
        if (still_fails(without, taken) && taken.size() < s.size()) {
          s = taken;
          shorter = true;
          i = std::min(i, s.size());
        }
      }
    }
  }
  return s;
}

namespace {

const char* short_file(const char* path) {
  const char* const slash = std::strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

const char* name_of(order o) {
  switch (o) {
    case order::relaxed:
      return "relaxed";
    case order::acquire:
      return "acquire";
    case order::release:
      return "release";
    case order::acq_rel:
      return "acq_rel";
    case order::seq_cst:
      return "seq_cst";
  }
  return "";
}

std::string describe(const machine& m, const step& s) {
  const auto what = [&] { return m.location_name(s.location); };
  const auto value = [&](std::uint64_t v) { return m.value_text(s.location, v); };
  const auto origin = [&] {
    return s.from == 0 ? std::string(" (as it was at first)") : fmt::format(" ({}'s)", m.thread_name(s.writer));
  };
  switch (s.kind) {
    case op_kind::load:
      return fmt::format("{} is {}{}, {}", what(), value(s.value), origin(), name_of(s.how));
    case op_kind::store:
      return fmt::format("{} = {}, {}", what(), value(s.value), name_of(s.how));
    case op_kind::rmw:
      if (!s.wrote) {
        return fmt::format("{} is {}{}, expected {}: {}", what(), value(s.value), origin(), value(s.old_value), s.note);
      }
      return fmt::format("{}: {} -> {}, {}", what(), value(s.old_value), value(s.value), name_of(s.how));
    case op_kind::fence:
      return s.note != nullptr ? s.note : "fence seq_cst";
    case op_kind::interrupt:
      return fmt::format("process fence reaches {}", m.thread_name(s.writer));
    case op_kind::park:
      return fmt::format("parks on {}, which is {}: {}", what(), value(s.value), s.note);
    case op_kind::unpark: {
      std::string text = fmt::format("unparks {}:", what());
      for (thread_id t = 0; t < max_threads; ++t) {
        if ((s.value & bit(t)) != 0) {
          text += fmt::format(" {}", m.thread_name(t));
        }
      }
      return text + (s.value == 0 ? " nobody there" : "");
    }
    case op_kind::nap:
      return "naps";
    case op_kind::join:
      return "joins a thread";
    case op_kind::quiet:
      return "goes on, since nobody else can";
    case op_kind::start:
      break;
  }
  return "";
}

}  // namespace

std::string trace_text(machine& m, const schedule& s) {
  std::vector<step> steps;
  m.record(&steps);
  replay again(m, s);
  again.run();
  m.record(nullptr);
  std::string text;
  int last = -1;
  for (const step& each : steps) {
    text += fmt::format("  {:<10} {:<18} {}", each.by == last ? "" : m.thread_name(each.by),
                        fmt::format("{}:{}", short_file(each.where.file_name()), each.where.line()), describe(m, each));
    if ((each.kind == op_kind::load || each.kind == op_kind::park || (each.kind == op_kind::rmw && !each.wrote)) &&
        each.from < each.newest) {
      text += fmt::format("   STALE, by {}", each.newest - each.from);
    }
    if (each.preempts) {
      text += "   PREEMPT";
    }
    text += '\n';
    last = each.by;
  }
  if (const failure* f = m.failed()) {
    text += fmt::format("  => {}: {}\n", f->property, f->what);
  }
  return text;
}

}  // namespace verify
