#include "visit.hpp"

#if defined(__linux__)

#include "affinity.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace dozer::inline DOZER_PLATFORM::detail {

namespace {

constinit atomic<long> processors_possible{-1};  // -1: not known

/// All numbers of processors are below it.
int processor_bound() noexcept {
  unsigned long bits[processor_set::most / (8 * sizeof(unsigned long))];
  const long bytes = syscall(SYS_sched_getaffinity, 0, sizeof bits, bits);  // returns the size of the kernel's own sets
  return bytes > 0 ? static_cast<int>(std::min<long>(8 * bytes, processor_set::most)) : processor_set::most;
}

/// Fills the buffer from a file, as a string. False: it cannot be read.
bool read_file(const char* path, char* into, std::size_t size) noexcept {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return false;
  }
  const ssize_t got = ::read(file, into, size - 1);
  close(file);
  into[std::max<ssize_t>(got, 0)] = '\0';
  return got > 0;
}

enum class whereabouts { there, elsewhere, ended, unknown };

/// Whether a thread of the process is on one of these processors, running or not.
whereabouts find(const char* thread, const processor_set& there) noexcept {
  char path[64];
  char text[1024];
  std::snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", thread);
  if (!read_file(path, text, sizeof text)) {
    return errno == ENOENT || errno == ESRCH ? whereabouts::ended : whereabouts::unknown;
  }
  const char* at = std::strrchr(text, ')');  // the name, in parentheses, may hold anything
  if (at == nullptr || std::strlen(at) < 3) {
    return whereabouts::unknown;
  }
  if (at[2] == 'Z' || at[2] == 'X') {
    return whereabouts::ended;
  }
  constexpr int name = 2, processor = 39;  // the numbers of these fields
  for (int field = name; field < processor; ++field) {
    at = std::strchr(at + 1, ' ');
    if (at == nullptr) {
      return whereabouts::unknown;
    }
  }
  return there.has(std::atoi(at + 1)) ? whereabouts::there : whereabouts::elsewhere;
}

bool all_threads_are_on(const processor_set& visited) noexcept {
  DIR* const threads = opendir("/proc/self/task");
  if (threads == nullptr) {
    return false;
  }
  bool all = true;
  while (const dirent* const one = readdir(threads)) {
    if (one->d_name[0] != '.') {
      const whereabouts found = find(one->d_name, visited);
      all = all && found != whereabouts::elsewhere && found != whereabouts::unknown;
    }
  }
  closedir(threads);
  return all;
}

/// One round over the processors, of which there can be so many (-1: unknown). Returns those that the calling thread
/// has run on; none: the system refuses.
processor_set visit_once(long possible) noexcept {
  processor_set visited;
  const own_affinity mine;
  if (!mine.is_known()) {
    return visited;
  }
  processor_set asked = mine.at_first(), afterwards = mine.request();
  const auto note_wish = [&] {
    processor_set now;
    if (now.read() && !(now == asked)) {
      afterwards = asked = now;  // another thread has set it meanwhile, and shall have its will
    }
  };
  const int bound = processor_bound();
  for (int c = 0; c < bound && visited.count() != possible; ++c) {
    note_wish();
    if (processor_set::only(c).apply() == 0) {
      asked = processor_set::only(c);
      if (sched_getcpu() == c) {
        visited.add(c);
      }
    }
  }
  note_wish();
  static_cast<void>(afterwards.apply());
  return visited;
}

}  // namespace

void prepare_to_visit() noexcept {
  if (processors_possible.load(relaxed) < 0) {                          // relaxed: the same in every thread
    processors_possible.store(sysconf(_SC_NPROCESSORS_CONF), relaxed);  // relaxed: as above
  }
}

bool visit_every_processor() noexcept {
  const long possible = processors_possible.load(relaxed);  // relaxed: as above
  constexpr int most_rounds = 100;  // a processor that comes or goes makes another round necessary
  for (int i = 0; i < most_rounds; ++i) {
    const processor_set visited = visit_once(possible);
    if (visited.count() == 0) {
      return false;
    }
    if (visited.count() == possible || all_threads_are_on(visited)) {
      hooks.fences_by_visiting.fetch_add(1, relaxed);  // relaxed: a count
      return true;
    }
    usleep(1000);
  }
  return false;
}

}  // namespace dozer::inline DOZER_PLATFORM::detail

#else

namespace dozer::inline DOZER_PLATFORM::detail {

void prepare_to_visit() noexcept {}
bool visit_every_processor() noexcept { return false; }

}  // namespace dozer::inline DOZER_PLATFORM::detail

#endif
