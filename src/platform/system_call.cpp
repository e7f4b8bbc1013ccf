// What a thread waits in, for reports.
#include <dozer/detail/platform.hpp>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

#include <cstdio>
#include <utility>

namespace dozer::inline DOZER_PLATFORM::detail {

#if defined(__linux__)

namespace {

/// Those that jobs usually block in.
constexpr std::pair<long, const char*> usual[] = {
    {SYS_futex, "futex (a lock, a condition variable, a future)"},
    {SYS_read, "read"},
    {SYS_pread64, "pread"},
    {SYS_write, "write"},
    {SYS_pwrite64, "pwrite"},
    {SYS_fsync, "fsync"},
    {SYS_openat, "open"},
    {SYS_flock, "flock"},
    {SYS_fcntl, "fcntl"},
    {SYS_nanosleep, "nanosleep"},
    {SYS_clock_nanosleep, "clock_nanosleep"},
    {SYS_ppoll, "ppoll"},
    {SYS_pselect6, "pselect"},
    {SYS_epoll_pwait, "epoll_wait"},
    {SYS_recvfrom, "recv"},
    {SYS_recvmsg, "recvmsg"},
    {SYS_sendto, "send"},
    {SYS_sendmsg, "sendmsg"},
    {SYS_accept, "accept"},
    {SYS_accept4, "accept"},
    {SYS_connect, "connect"},
    {SYS_wait4, "wait for a child process"},
    {SYS_waitid, "wait for a child process"},
#if defined(SYS_poll)
    {SYS_poll, "poll"},
#endif
#if defined(SYS_select)
    {SYS_select, "select"},
#endif
#if defined(SYS_epoll_wait)
    {SYS_epoll_wait, "epoll_wait"},
#endif
};

}  // namespace

std::string system_call_of(std::uint64_t system_number) {
  const std::string path = "/proc/self/task/" + std::to_string(system_number) + "/syscall";
  std::FILE* const file = std::fopen(path.c_str(), "re");
  if (file == nullptr) {
    return {};
  }
  long number = -1;
  const bool in_one = std::fscanf(file, "%ld", &number) == 1 && number >= 0;  // else "running"
  std::fclose(file);
  if (!in_one) {
    return {};
  }
  for (const auto& [known, name] : usual) {
    if (known == number) {
      return name;
    }
  }
  return "system call " + std::to_string(number);
}

#else

std::string system_call_of(std::uint64_t) { return {}; }

#endif

}  // namespace dozer::inline DOZER_PLATFORM::detail
