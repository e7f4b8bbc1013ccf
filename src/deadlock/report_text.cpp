// The report as text for a person, and as JSON.
#include "report.hpp"

#include <dozer/deadlock.hpp>
#include <dozer/detail/abort.hpp>
#include <dozer/detail/situation.hpp>

#include <new>
#include <string_view>

namespace dozer::inline DOZER_PLATFORM {

std::string_view to_string(wait_kind value) noexcept { return value == wait_kind::pool ? "pool" : "external"; }

std::string detail::seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, seconds < 10 ? "%.3f s" : "%.0f s", seconds);
  return text;
}

std::string detail::address_text(const void* address) {
  char text[32];
  std::snprintf(text, sizeof text, "%p", address);
  return text;
}

namespace {

std::string hexadecimal(std::uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string entry_text(const deadlock_report::entry& e) {
  if (!e.waits) {
    return e.name.empty() ? "runs a job" : "runs \"" + e.name + "\"";
  }
  std::string text = "waits for " + detail::awaited_text(e.why, e.name);
  text += e.what != nullptr ? " at " + detail::address_text(e.what) : "";
  text += e.seconds > 0 ? ", for " + detail::seconds_text(e.seconds) : "";
  text += e.held_by.empty() ? "" : ", held by " + e.held_by;
  text += e.would_be_reported ? " (somebody outside may end it; of wait_kind::pool it would be reported)"
          : e.who_can_end_it == wait_kind::external ? " (somebody outside may end it)"
                                                    : "";
  text += e.where.empty() ? "" : "\n        at " + e.where;
  for (const deadlock_report::caller& each : e.callers) {
    text += "\n        called from " + each.module + "+" + hexadecimal(each.offset) +
            (each.symbol.empty() ? "" : ", in " + each.symbol);
  }
  return text;
}

std::string jobs_text(std::uint64_t count) { return std::to_string(count) + (count == 1 ? " job" : " jobs"); }

/// Of the character in UTF-8 that the text begins with; 0: it begins with none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = byte(0) < 0x80                      ? 1
                             : byte(0) >= 0xc2 && byte(0) < 0xe0 ? 2
                             : byte(0) >= 0xe0 && byte(0) < 0xf0 ? 3
                             : byte(0) >= 0xf0 && byte(0) < 0xf5 ? 4
                                                                 : 0;
  if (length > text.size()) {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) {
      return 0;
    }
  }
  // Longer than need be, halves of UTF-16, or beyond the last one.
  const bool is_none = length > 2 && ((byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xed && byte(1) >= 0xa0) ||
                                      (byte(0) == 0xf0 && byte(1) < 0x90) || (byte(0) == 0xf4 && byte(1) >= 0x90));
  return is_none ? 0 : length;
}

/// A string in JSON, quotes included. What is no UTF-8 becomes a replacement character.
std::string json(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      out += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      out += escaped;
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out + "\"";
}

template <class Range, class Item>
std::string json_list(const Range& range, Item&& item) {
  std::string out = "[";
  for (const auto& each : range) {
    out += (out.size() == 1 ? "" : ", ") + item(each);
  }
  return out + "]";
}

std::string json_caller(const deadlock_report::caller& each) {
  return "{\"module\": " + json(each.module) + ", \"offset\": " + json(hexadecimal(each.offset)) +
         ", \"symbol\": " + json(each.symbol) + "}";
}

std::string json_entry(const deadlock_report::entry& e) {
  if (!e.waits) {
    return "{\"job\": " + json(e.name) + "}";
  }
  return "{\"waits_for\": " + json(to_string(e.why)) + ", \"name\": " + json(e.name) +
         ", \"kind\": " + json(to_string(e.who_can_end_it)) +
         ", \"what\": " + json(e.what != nullptr ? detail::address_text(e.what) : "") +
         ", \"held_by\": " + json(e.held_by) + ", \"seconds\": " + std::to_string(e.seconds) +
         ", \"where\": " + json(e.where) + ", \"callers\": " + json_list(e.callers, json_caller) +
         ", \"would_be_reported\": " + (e.would_be_reported ? "true" : "false") + "}";
}

std::string_view name_of(deadlock_report::trouble what) {
  switch (what) {
    case deadlock_report::trouble::none:
      return "none";
    case deadlock_report::trouble::deadlock:
      return "deadlock";
    case deadlock_report::trouble::starved:
      return "starved";
    case deadlock_report::trouble::stalled:
      return "stalled";
  }
  return "";
}

}  // namespace

std::string deadlock_report::to_string() const {
  std::string out = summary + "\n";
  if (!cycle.empty()) {
    out += "\nThe circle:\n";
    for (const std::string& each : cycle) {
      out += "  " + each + "\n";
    }
  }
  out += "\nWho does what (of a stack the oldest first; each entry waits for the next one to end):\n";
  for (const worker& w : workers) {
    out += "  " + w.name + " (thread " + std::to_string(w.thread) + "): " + std::string(dozer::to_string(w.state));
    out += w.system_call.empty() ? "" : ", undeclared in " + w.system_call;
    out += w.queued != 0 ? ", " + jobs_text(w.queued) + " in its deque\n" : "\n";
    for (const entry& e : w.stack) {
      if (w.deeper != 0 && &e == &w.stack.back()) {
        out += "      (" + std::to_string(w.deeper) + " more)\n";
      }
      out += "      " + entry_text(e) + "\n";
    }
  }
  out += "  " + std::to_string(idle) + " asleep for want of work\n";
  if (jobs_left != 0) {
    out += "  " + jobs_text(jobs_left) + " queued in all\n";
  }
  for (const std::string& each : shortages) {
    out += "  " + each + "\n";
  }
  if (waiting_outside != 0) {
    out += "  " + std::to_string(waiting_outside) + " outside the pools, waiting for a job\n";
  }
  for (const outsider& each : outsiders) {
    out += "  thread " + std::to_string(each.thread) + ", in no pool\n      " + entry_text(each.wait) + "\n";
  }
  return out;
}

void detail::print(const deadlock_report& report) noexcept {
  try {
    print_error(("dozer: " + report.to_string()).c_str());
  } catch (const std::bad_alloc&) {
    for (const char* const part : {"dozer: ", report.summary.c_str(), "\n(There is no memory to print the rest.)\n"}) {
      print_error(part);
    }
  }
}

std::string deadlock_report::to_json() const {
  return "{\"trouble\": " + json(name_of(what_is_wrong)) + ", \"summary\": " + json(summary) +
         ", \"cycle\": " + json_list(cycle, [](const std::string& each) { return json(each); }) + ", \"workers\": " +
         json_list(
             workers,
             [](const worker& w) {
               return "{\"name\": " + json(w.name) + ", \"index\": " + std::to_string(w.index) +
                      ", \"guest\": " + (w.guest ? "true" : "false") + ", \"thread\": " + std::to_string(w.thread) +
                      ", \"state\": " + json(dozer::to_string(w.state)) + ", \"system_call\": " + json(w.system_call) +
                      ", \"stack\": " + json_list(w.stack, json_entry) + ", \"deeper\": " + std::to_string(w.deeper) +
                      ", \"queued\": " + std::to_string(w.queued) + "}";
             }) +
         ", \"idle\": " + std::to_string(idle) + ", \"waiting_outside\": " + std::to_string(waiting_outside) +
         ", \"outsiders\": " +
         json_list(outsiders,
                   [](const outsider& each) {
                     return "{\"thread\": " + std::to_string(each.thread) + ", \"wait\": " + json_entry(each.wait) +
                            "}";
                   }) +
         ", \"jobs_left\": " + std::to_string(jobs_left) +
         ", \"shortages\": " + json_list(shortages, [](const std::string& each) { return json(each); }) + "}";
}

}  // namespace dozer::inline DOZER_PLATFORM
