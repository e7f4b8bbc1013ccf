// CPU quotas of cgroups, version 2 (cpu.max) and version 1 (cpu.cfs_quota_us). Every group on the way up to the root
// may set one; the tightest rules.
#include "topology.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <vector>

namespace dozer::inline DOZER_PLATFORM::detail {

namespace {

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

/// A stream that lets exceptions out: by default it keeps even std::bad_alloc to itself, and what it reads is cut
/// short.
template <class Stream>
Stream open(const std::string& what) {
  Stream stream(what);
  stream.exceptions(std::ios::badbit);
  return stream;
}

std::vector<std::string> words_of(const std::string& line) {
  auto stream = open<std::istringstream>(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return words;
}

std::vector<std::string> words_of_first_line(const std::string& path) {
  auto file = open<std::ifstream>(path);
  std::string line;
  std::getline(file, line);
  return words_of(line);
}

std::optional<unsigned> whole_cpus(std::optional<std::int64_t> quota, std::optional<std::int64_t> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0) {
    return std::nullopt;  // "max" and -1 mean no limit
  }
  const std::int64_t cpus = (*quota + *period - 1) / *period;
  return static_cast<unsigned>(std::clamp<std::int64_t>(cpus, 1, 1 << 20));
}

std::optional<unsigned> quota_v2(const std::string& folder) {
  const std::vector<std::string> words = words_of_first_line(folder + "/cpu.max");
  if (words.size() != 2) {
    return std::nullopt;
  }
  return whole_cpus(parse_number(words[0]), parse_number(words[1]));
}

std::optional<unsigned> quota_v1(const std::string& folder) {
  const std::vector<std::string> quota = words_of_first_line(folder + "/cpu.cfs_quota_us");
  const std::vector<std::string> period = words_of_first_line(folder + "/cpu.cfs_period_us");
  if (quota.size() != 1 || period.size() != 1) {
    return std::nullopt;
  }
  return whole_cpus(parse_number(quota[0]), parse_number(period[0]));
}

void tighten(std::optional<unsigned>& tightest, std::optional<unsigned> limit) {
  if (limit && (!tightest || *limit < *tightest)) {
    tightest = limit;
  }
}

/// Where a cgroup file system is mounted, and which group of it is seen at the mount point.
struct mount {
  std::string point;
  std::string group;
};

/// Field 4 is the group at the mount point, field 5 the mount point; behind a lone "-" stand type, source and options.
std::optional<mount> find_mount(const std::string& root, bool version_2) {
  auto file = open<std::ifstream>(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> words = words_of(line);
    const auto dash = std::find(words.begin(), words.end(), "-");
    if (words.size() < 5 || words.end() - dash < 4) {
      continue;
    }
    const std::string& type = dash[1];
    const std::string options = "," + dash[3] + ",";
    if (version_2 ? type == "cgroup2" : type == "cgroup" && options.find(",cpu,") != std::string::npos) {
      return mount{words[4], words[3]};
    }
  }
  return std::nullopt;
}

/// The path of this process's group: the line "0::<path>" for version 2, "<n>:...,cpu,...:<path>" for version 1.
std::optional<std::string> find_group(const std::string& root, bool version_2) {
  auto file = open<std::ifstream>(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) {
      continue;
    }
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool fits = version_2 ? controllers.empty() && line.compare(0, first, "0") == 0
                                : ("," + controllers + ",").find(",cpu,") != std::string::npos;
    if (fits) {
      return line.substr(second + 1);
    }
  }
  return std::nullopt;
}

std::optional<unsigned> tightest_quota(const std::string& root, bool version_2) {
  const auto mounted = find_mount(root, version_2);
  auto group = find_group(root, version_2);
  if (!mounted || !group) {
    return std::nullopt;
  }
  // In a container the mount shows a subtree: what lies above it is neither visible nor part of the path.
  if (mounted->group != "/" && group->compare(0, mounted->group.size(), mounted->group) == 0) {
    *group = group->substr(mounted->group.size());
  }
  std::optional<unsigned> tightest;
  for (std::string path = *group;;) {
    while (!path.empty() && path.back() == '/') {
      path.pop_back();
    }
    const std::string folder = root + mounted->point + path;
    tighten(tightest, version_2 ? quota_v2(folder) : quota_v1(folder));
    if (path.empty()) {
      return tightest;
    }
    const auto slash = path.rfind('/');
    path.resize(slash == std::string::npos ? 0 : slash);
  }
}

}  // namespace

std::optional<unsigned> cpus_by_cgroup(const std::string& root) {
  std::optional<unsigned> tightest;
  for (const bool version_2 : {true, false}) {
    try {
      tighten(tightest, tightest_quota(root, version_2));
    } catch (const std::ios::failure&) {
      // A file that cannot be read says nothing.
    }
  }
  return tightest;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
