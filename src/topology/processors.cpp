// Which processors the process may use, and in which order workers are pinned to them.
#include "topology.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace dozer::inline DOZER_PLATFORM::detail {

std::vector<int> allowed_processors() {
  std::vector<int> out;
#if defined(__linux__)
  // The kernel refuses a mask smaller than its own; double until it fits.
  for (std::size_t cpus = 1024; cpus <= (std::size_t{1} << 20); cpus *= 2) {
    std::vector<cpu_set_t> sets(cpus / CPU_SETSIZE);
    const std::size_t bytes = sets.size() * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, sets.data()) == 0) {
      for (std::size_t i = 0; i < cpus; ++i) {
        if (CPU_ISSET_S(i, bytes, sets.data())) {
          out.push_back(static_cast<int>(i));
        }
      }
      break;
    }
    if (errno != EINVAL) {
      break;
    }
  }
#endif
  if (out.empty()) {
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    out.resize(static_cast<std::size_t>(std::max(online, 1L)));
    std::iota(out.begin(), out.end(), 0);
  }
  return out;
}

namespace {

/// Where a processor is. Where the system does not say it is a core of its own, in the first package.
struct place {
  int package = 0, die = 0, core = 0, processor = 0;

  [[nodiscard]] std::tuple<int, int, int> its_core() const noexcept { return {package, die, core}; }
  [[nodiscard]] auto operator<=>(const place&) const noexcept = default;
};

place place_of(int processor, const std::string& root) {
  const auto read = [&](const char* what, int otherwise) {
    std::ifstream file(root + "/sys/devices/system/cpu/cpu" + std::to_string(processor) + "/topology/" + what);
    int value = 0;
    return file >> value && value >= 0 ? value : otherwise;
  };
  return {read("physical_package_id", 0), read("die_id", 0), read("core_id", processor), processor};
}

/// The first core of each package, then the second of each, and so on; and then all that again with the second
/// processor of each core.
void spread_out(std::vector<place>& sorted) {
  std::map<std::tuple<int, int, int>, int> core_number, processors_met;  // by core
  std::map<int, int> cores_met;                                          // by package
  std::vector<std::tuple<int, int, place>> ranked;
  for (const place& p : sorted) {
    const auto [core, is_new] = core_number.try_emplace(p.its_core(), cores_met[p.package]);
    cores_met[p.package] += is_new ? 1 : 0;
    ranked.emplace_back(processors_met[p.its_core()]++, core->second, p);
  }
  std::sort(ranked.begin(), ranked.end());
  std::transform(ranked.begin(), ranked.end(), sorted.begin(), [](const auto& r) { return std::get<place>(r); });
}

}  // namespace

std::vector<int> pinning_order(pinning how, const std::vector<int>& allowed, const std::string& root) {
  std::vector<place> places;
  for (const int processor : allowed) {
    places.push_back(place_of(processor, root));
  }
  std::sort(places.begin(), places.end());
  if (how == pinning::spread) {
    spread_out(places);
  }
  std::vector<int> out;
  for (const place& p : places) {
    out.push_back(p.processor);
  }
  return out;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
