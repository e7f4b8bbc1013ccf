// Runs a test and ends it if it runs without end or hangs. Neither limit is in real time, so a busy machine does not
// make a test fail:
//
//   --cpu    processor time of the command and all its children. Who takes more runs without end, or does far more work
//            than it should
//   --still  time in which no thread of them ran, waited for a processor, or waited for a disk (standstill.hpp). Who
//            takes more waits for what does not come
//
// Ends as the command does, or with 124 after it has ended the command and said why.
#include "standstill.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstring>

namespace {

using dozer_test::standstill_clock;

constexpr int ended_by_a_limit = 124;
constexpr double look_every = 0.25;  // seconds

/// The command, its descendants, and those whose parents have ended: all come to this process.
std::vector<pid_t> all_below() {
  std::vector<pid_t> all{getpid()};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string folder = "/proc/" + std::to_string(all[i]) + "/task";
    for (const pid_t thread : standstill_clock::numbers_in(folder)) {
      const std::string children = standstill_clock::text_of(folder + "/" + std::to_string(thread) + "/children");
      for (const char* at = children.c_str(); *at != '\0';) {
        char* end = nullptr;
        const long child = std::strtol(at, &end, 10);
        if (end == at) {
          break;
        }
        all.push_back(static_cast<pid_t>(child));
        at = end + (*end == ' ');
      }
    }
  }
  all.erase(all.begin());
  return all;
}

/// The fields of /proc/N/stat behind the name, which may hold spaces: from the third one, the state, on.
std::string fields_of(const std::string& folder) {
  const std::string text = standstill_clock::text_of(folder + "/stat");
  const std::size_t name_end = text.rfind(") ");
  return name_end == std::string::npos ? "" : text.substr(name_end + 2);
}

/// Also of children that have ended and were waited for.
double processor_time(const std::vector<pid_t>& processes) {
  double all = 0;
  for (const pid_t process : processes) {
    unsigned long user = 0, system = 0;
    long of_children_user = 0, of_children_system = 0;
    std::sscanf(fields_of("/proc/" + std::to_string(process)).c_str(),
                "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld", &user, &system, &of_children_user,
                &of_children_system);
    all += static_cast<double>(user + system) + static_cast<double>(of_children_user + of_children_system);
  }
  return all / static_cast<double>(sysconf(_SC_CLK_TCK));
}

void show(const std::vector<pid_t>& processes) {
  for (const pid_t process : processes) {
    const std::string folder = "/proc/" + std::to_string(process) + "/task";
    for (const pid_t thread : standstill_clock::numbers_in(folder)) {
      const std::string of_thread = folder + "/" + std::to_string(thread);
      const std::string name = standstill_clock::text_of(of_thread + "/comm"), fields = fields_of(of_thread);
      std::fprintf(stderr, "  process %d thread %d: %c %s", process, thread, fields.empty() ? '?' : fields[0],
                   name.empty() ? "\n" : name.c_str());
    }
  }
}

void end_all() {
  do {  // again: some may have come meanwhile, or come to us when their parents ended
    for (const pid_t process : all_below()) {
      kill(process, SIGKILL);
    }
  } while (waitpid(-1, nullptr, 0) > 0);
}

[[noreturn]] void end_like(int status) {
  if (WIFSIGNALED(status)) {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    signal(WTERMSIG(status), SIG_DFL);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_UNBLOCK, &all, nullptr);
    raise(WTERMSIG(status));
  }
  std::exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

int usage(int code) {
  std::fprintf(
      code == 0 ? stdout : stderr,
      "usage: limited [--cpu SECONDS] [--still SECONDS] COMMAND [ARGUMENT...]\n\n"
      "Runs a command and ends it, and all its children, with a message and exit code 124, when they\n"
      "  --cpu SECONDS    have taken that much processor time (default: 300)\n"
      "  --still SECONDS  have stood still for that long: no thread ran or waited for a processor (default: 120)\n"
      "Real time is no limit.\n");
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  double most_cpu = 300, most_still = 120;
  int at = 1;
  for (; at < argc && argv[at][0] == '-'; at += 2) {
    const std::string option = argv[at];
    if (option == "-h" || option == "--help") {
      return usage(0);
    }
    char* end = nullptr;
    const double value = at + 1 < argc ? std::strtod(argv[at + 1], &end) : 0;
    if ((option != "--cpu" && option != "--still") || end == nullptr || *end != '\0' || !(value > 0)) {
      return usage(2);
    }
    (option == "--cpu" ? most_cpu : most_still) = value;
  }
  if (at >= argc) {
    return usage(2);
  }

  sigset_t awaited, before;
  sigemptyset(&awaited);
  for (const int each : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) {
    sigaddset(&awaited, each);
  }
  sigprocmask(SIG_BLOCK, &awaited, &before);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t self = getpid(), command = fork();
  if (command < 0) {
    std::perror("limited: fork");
    return 1;
  }
  if (command == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // whoever ends this program ends the test
    if (getppid() != self) {
      return 1;
    }
    sigprocmask(SIG_SETMASK, &before, nullptr);
    execvp(argv[at], argv + at);
    std::fprintf(stderr, "limited: %s: %s\n", argv[at], std::strerror(errno));
    _exit(127);
  }

  standstill_clock still({command});
  for (;;) {
    const timespec a_while{0, static_cast<long>(look_every * 1e9)};
    const int got = sigtimedwait(&awaited, nullptr, &a_while);
    if (got == SIGINT || got == SIGTERM || got == SIGHUP) {
      end_all();
      return 128 + got;
    }
    int status = 0;
    for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
      if (ended == command) {
        end_like(status);
      }
    }
    const std::vector<pid_t> processes = all_below();
    still.look(processes, std::chrono::duration<double>(2 * look_every));
    const double cpu = processor_time(processes);
    if (cpu > most_cpu || still.seconds() > most_still) {
      if (cpu > most_cpu) {
        std::fprintf(stderr, "limited: ended: it took %.0f s of processor time, the limit is %.0f s\n", cpu, most_cpu);
      } else {
        std::fprintf(stderr, "limited: ended: it hangs; for %.0f s none of its threads ran or waited for a processor\n",
                     still.seconds());
      }
      show(processes);
      end_all();
      return ended_by_a_limit;
    }
  }
}
