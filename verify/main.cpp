// The checker's command: litmus tests, scenarios, replay.
#include "engine/explorer.hpp"
#include "litmus/litmus.hpp"
#include "scenarios/scenario.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

namespace verify {

namespace {

/// What distinguishes two searches of one scenario, and how it is written: "inject-1x1/weak/jec1".
struct variant {
  const scenario* what;
  memory_mode memory;
  setting with;
};

constexpr std::uint32_t jec_starts[] = {0, 1, 7};  // even, odd, and the last before the wrap

std::string to_string(const variant& v) {
  return fmt::format("{}/{}/jec{}{}{}{}", v.what->name, v.memory == memory_mode::weak ? "weak" : "sc", v.with.jec,
                     v.with.process_fence ? "" : "/full-fences", v.with.one_round ? "/one-round" : "",
                     v.with.never ? "/never" : "");
}

const scenario* find_scenario(std::string_view name) {
  for (const scenario& each : all_scenarios()) {
    if (name == each.name) {
      return &each;
    }
  }
  return nullptr;
}

std::optional<variant> parse_variant(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t slash = std::min(text.find('/', at), text.size());
    parts.push_back(text.substr(at, slash - at));
    at = slash + 1;
  }
  if (parts.size() < 3 || parts.size() > 4 || find_scenario(parts[0]) == nullptr ||
      (parts[1] != "weak" && parts[1] != "sc") || parts[2].size() != 4 || parts[2].substr(0, 3) != "jec" ||
      parts[2][3] < '0' || parts[2][3] > '7' ||
      (parts.size() == 4 && parts[3] != "full-fences" && parts[3] != "one-round" && parts[3] != "never")) {
    return std::nullopt;
  }
  variant v{find_scenario(parts[0]), parts[1] == "weak" ? memory_mode::weak : memory_mode::sequential, {}};
  v.with.jec = static_cast<std::uint32_t>(parts[2][3] - '0');
  v.with.process_fence = parts.size() == 3 || parts[3] != "full-fences";
  v.with.one_round = parts.size() == 4 && parts[3] == "one-round";
  v.with.never = parts.size() == 4 && parts[3] == "never";
  return v;
}

/// A scenario's variants: weak and sequentially consistent, each with every start of the counter; and, weak, without a
/// process fence, and with a round of searching before the announcement. Of a large one, two of these.
std::vector<variant> variants_of(const scenario& s) {
  if (s.large) {
    return {{&s, memory_mode::weak, {.jec = 1}},
            {&s, memory_mode::sequential, {.jec = 1}},
            {&s, memory_mode::weak, {.jec = 1, .process_fence = false}}};
  }
  std::vector<variant> all;
  for (const memory_mode memory : {memory_mode::weak, memory_mode::sequential}) {
    for (const std::uint32_t jec : jec_starts) {
      if (jec == 0 || s.jec_matters) {
        all.push_back({&s, memory, {.jec = jec}});
      }
    }
  }
  all.push_back({&s, memory_mode::weak, {.jec = s.jec_matters ? 1u : 0u, .process_fence = false}});
  if (s.jec_matters) {
    all.push_back({&s, memory_mode::weak, {.jec = 1, .one_round = true}});
  }
  return all;
}

/// In place of `v`, which has a wait with a deadline: no deadline passes. What is released must not need one.
variant without_timeouts(variant v) {
  v.memory = memory_mode::weak;
  v.with = {.jec = v.what->jec_matters ? 1u : 0u, .never = true};
  return v;
}

limits limits_of(const variant& v) {
  limits bounds = v.what->bounds;
  bounds.memory = v.memory;
  bounds.never = v.with.never;
  return bounds;
}

void run_body(void* raw) { static_cast<const scenario*>(raw)->body(); }

void prepare(const variant& v, bool costs) {
  now_set = v.with;
  now_set.sequential = v.memory == memory_mode::sequential;
  now_set.costs = costs;
  count_nobody();
}

std::string bound_text(int bound) { return bound == unbounded ? "none" : std::to_string(bound); }

struct options {
  std::vector<std::string> only;
  std::string replay;
  bool full = false;
  bool list = false;
  bool variants = false;
  bool litmus = false;
  bool no_costs = false;
  bool brief = false;
  bool speed = false;
  int bound = -2;
  std::uint64_t samples = 0;
  std::uint64_t seed = 1;
  double seconds = 1e9;
  std::string table;
  std::string reached;
  int mutant = 0;
  int mutants = 0;
};

void show_progress(const std::string& text) {
  if (isatty(STDERR_FILENO) != 0) {
    std::fprintf(stderr, "\r%-100s\r", text.c_str());
    std::fflush(stderr);
  }
}

void show_failure(const variant& v, const search_result& got, bool brief) {
  const std::string replay = to_string(v) + ":" + to_string(got.how);
  fmt::print("FAILED {}: {}: {}\n  after {} executions; replay: {}\n", to_string(v), got.failed->property,
             got.failed->what, got.executions, replay);
  if (!brief) {
    fmt::print("{}", trace_text(the_machine(), got.how));
  }
}

search_result search(const variant& v, const options& o) {
  search_options how;
  how.bounds = limits_of(v);
  how.preemptions = o.bound != -2 ? o.bound : (o.full ? v.what->full_bound : v.what->test_bound);
  how.most_seconds = o.seconds;
  how.progress = [&](const char* text) { show_progress(to_string(v) + ": " + text); };
  prepare(v, !o.no_costs);
  if (o.samples != 0) {
    how.most_executions = o.samples;
    return sample(&run_body, const_cast<scenario*>(v.what), how, o.seed);
  }
  return explore(&run_body, const_cast<scenario*>(v.what), how);
}

int show_replay(const std::string& text) {
  const std::size_t colon = text.find(':');
  const auto v = parse_variant(text.substr(0, colon));
  const auto s = colon == std::string::npos ? std::nullopt : parse_schedule(std::string_view(text).substr(colon + 1));
  if (!v || !s) {
    fmt::print(stderr, "verify: not a replay string: {}\n  It looks like inject-1x1/weak/jec1:1.17>2,2.5~1\n", text);
    return 2;
  }
  prepare(*v, true);
  machine& m = the_machine();
  if (!m.set_up(&run_body, const_cast<scenario*>(v->what), limits_of(*v))) {
    fmt::print("{}: {}\n", m.failed()->property, m.failed()->what);
    return 1;
  }
  replay again(m, *s);
  if (!again.run()) {
    fmt::print("{}: this run does not fail\n{}", to_string(*v), trace_text(m, *s));
    return 0;
  }
  const std::string property = m.failed()->property;
  const schedule shorter = minimise(m, *s, property);
  fmt::print("{}: {} deviations, {} of them needed\n{}", to_string(*v), s->size(), shorter.size(),
             trace_text(m, shorter));
  fmt::print("  replay: {}:{}\n", to_string(*v), to_string(shorter));
  return 1;
}

/// The numbers of the switches that the runs have come to, in one line.
void show_met(const std::string& of, const std::vector<bool>& met) {
  fmt::print("met {}:", of);
  for (std::size_t i = 0; i < met.size(); ++i) {
    if (met[i]) {
      fmt::print(" {}", i);
    }
  }
  fmt::print("\n");
}

/// A line for each program point: file, line, column, and for a compare-exchange whether it has won and has lost.
bool write_reached(const std::string& path, const machine::reached_points& points) {
  FILE* const out = std::fopen(path.c_str(), "w");
  if (out == nullptr) {
    fmt::print(stderr, "verify: cannot write {}\n", path);
    return false;
  }
  for (const auto& [where, how] : points) {
    const auto& [file, line, column] = where;
    fmt::print(out, "{}:{}:{}{}{}\n", file, line, column, how.won ? " won" : "", how.failed ? " failed" : "");
  }
  return std::fclose(out) == 0;
}

int run_scenarios(const options& o) {
  std::vector<const scenario*> chosen;
  std::vector<variant> variants;
  for (const scenario& each : all_scenarios()) {
    if (o.only.empty()) {
      chosen.push_back(&each);
    }
  }
  for (const std::string& name : o.only) {
    if (const auto one = parse_variant(name)) {
      variants.push_back(*one);
    } else if (const scenario* s = find_scenario(name)) {
      chosen.push_back(s);
    } else {
      fmt::print(stderr, "verify: there is no scenario '{}'; --list shows all\n", name);
      return 2;
    }
  }
  for (const scenario* s : chosen) {
    for (const variant& v : variants_of(*s)) {
      variants.push_back(v);
    }
  }
  FILE* const table = o.table.empty() ? nullptr : std::fopen(o.table.c_str(), "w");
  if (!o.table.empty() && table == nullptr) {
    fmt::print(stderr, "verify: cannot write {}\n", o.table);
    return 2;
  }
  int failed = 0, unfinished = 0;
  std::uint64_t executions = 0;
  double seconds = 0;
  machine::reached_points reached;
  the_machine().note_reached(o.reached.empty() ? nullptr : &reached);
  std::vector<bool> met(static_cast<std::size_t>(o.mutants) + 1);
  mutants_met = o.mutants != 0 ? &met : nullptr;
  active_mutant = o.mutant;
  const scenario* timed = nullptr;  // the last one for which a search without timeouts was added
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const variant v = variants[i];
    show_progress(to_string(v));
    const search_result got = search(v, o);
    show_progress("");
    const bool all_variants = std::find(chosen.begin(), chosen.end(), v.what) != chosen.end();
    if (all_variants && the_machine().has_timed_parks() && timed != v.what) {
      timed = v.what;
      variants.insert(variants.begin() + static_cast<std::ptrdiff_t>(i) + 1, without_timeouts(v));
    }
    executions += got.executions;
    seconds += got.seconds;
    if (mutants_met != nullptr) {
      show_met(to_string(v), met);
      std::fill(met.begin(), met.end(), false);
    }
    if (got.failed) {
      ++failed;
      show_failure(v, got, o.brief);
      if (o.brief) {
        break;
      }
      continue;
    }
    const bool sampled = o.samples != 0;
    unfinished += got.complete || sampled ? 0 : 1;
    if (!o.brief) {
      fmt::print("  {:<34} {} {:>9} executions {:>10} states {:>7.2f} s{}{}\n", to_string(v),
                 sampled ? "at random " : fmt::format("bound {:<4}", bound_text(got.bound)), got.executions, got.states,
                 got.seconds, the_machine().has_timed_parks() ? ", with deadlines" : "",
                 got.complete || sampled ? "" : "  NOT FINISHED");
      std::fflush(stdout);
    }
    if (table != nullptr) {
      fmt::print(table, "| {} | {} | {} | {} | {} | {:.1f} |\n", v.what->name,
                 to_string(v).substr(std::string(v.what->name).size() + 1), bound_text(got.bound), got.executions,
                 got.states, got.seconds);
    }
  }
  if (table != nullptr) {
    std::fclose(table);
  }
  if (!o.reached.empty() && !write_reached(o.reached, reached)) {
    return 2;
  }
  if (!o.brief) {
    fmt::print("scenarios: {} searches, {} failed, {} not finished, {} executions, {:.0f} s\n", variants.size(), failed,
               unfinished, executions, seconds);
  }
  return failed != 0 || unfinished != 0 ? 1 : 0;
}

int measure_speed() {
  const variant v{find_scenario("inject-1x1"), memory_mode::weak, {}};
  std::vector<double> rates;
  search_result got;
  for (int i = 0; i < 7; ++i) {
    search_options how;
    how.deepen = false;  // one search, of which all executions count
    prepare(v, true);
    got = explore(&run_body, const_cast<scenario*>(v.what), how);
    rates.push_back(static_cast<double>(got.executions) / got.seconds);
  }
  std::sort(rates.begin(), rates.end());
  fmt::print("speed: {}: {} executions; {:.0f} executions a second (median of 7; {:.0f} to {:.0f})\n", to_string(v),
             got.executions, rates[3], rates.front(), rates.back());
  return 0;
}

}  // namespace

}  // namespace verify

int main(int argc, char** argv) {
  using namespace verify;
  machine::catch_crashes();
  options o;
  CLI::App app("Runs dozer's own sources through the interleavings and stale reads that C++20 allows.");
  app.add_option("scenario", o.only, "only these: a name, or one variant such as inject-1x1/weak/jec1");
  app.add_flag("--list", o.list, "show the scenarios");
  app.add_flag("--variants", o.variants, "show the variants of all scenarios, but for those without timeouts");
  app.add_flag("--litmus", o.litmus, "check the checker: the litmus tests");
  app.add_flag("--full", o.full, "the full bounds, not those of the tests");
  app.add_option("--bound", o.bound, "at most so many preemptions in a run; -1: no bound");
  app.add_option("--sample", o.samples, "so many runs at random, in place of all");
  app.add_option("--seed", o.seed, "of those");
  app.add_option("--seconds", o.seconds, "give up a search after that much processor time");
  app.add_option("--replay", o.replay, "run what a failure has printed, shortened and step by step");
  app.add_option("--table", o.table, "write the numbers as rows of a Markdown table to this file");
  app.add_option("--reached", o.reached, "write the program points that the runs have come to, to this file");
  app.add_option("--mutant", o.mutant, "switch this one on (in a build of verify/generated)");
  app.add_option("--met", o.mutants, "of so many switches, print which ones each search has come to");
  app.add_flag("--speed", o.speed, "executions a second");
  app.add_flag("--no-costs", o.no_costs, "do not check what only burns time");
  app.add_flag("--brief", o.brief, "stop at the first failure, without its steps, and print nothing else");
  CLI11_PARSE(app, argc, argv);
  if (o.list) {
    for (const scenario& each : all_scenarios()) {
      fmt::print("  {:<18} {} (bound {}, full {})\n", each.name, each.what, bound_text(each.test_bound),
                 bound_text(each.full_bound));
    }
    return 0;
  }
  if (o.variants) {
    for (const scenario& each : all_scenarios()) {
      for (const variant& v : variants_of(each)) {
        fmt::print("{}\n", to_string(v));
      }
    }
    return 0;
  }
  if (!o.replay.empty()) {
    return show_replay(o.replay);
  }
  if (o.speed) {
    return measure_speed();
  }
  if (o.litmus) {
    return run_litmus(!o.brief) == 0 ? 0 : 1;
  }
  return run_scenarios(o);
}
