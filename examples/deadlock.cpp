// Two jobs take two locks in opposite order, and wait for each other. The pool notices, says so in words, and the
// handler makes the waits throw, so that whoever is thrown out gives up its lock and tries again in the right order.
// The other one may then get what it waits for before it is thrown out itself.
#include <dozer/dozer.hpp>

#include <atomic>
#include <cstdio>
#include <thread>

namespace {

dozer::mutex accounts("accounts"), journal("journal");

/// Takes `first`, then `second`, as soon as the other job has its first one, too.
void take_both(dozer::mutex& first, dozer::mutex& second, std::atomic<int>& have_one) {
  const dozer::mutex_guard one(first);
  for (++have_one; have_one < 2;) {
    std::this_thread::yield();
  }
  const dozer::mutex_guard other(second);
}

void report_and_go_on(const char* who, dozer::mutex& first, dozer::mutex& second, std::atomic<int>& have_one) {
  try {
    take_both(first, second, have_one);
  } catch (const dozer::deadlock_error&) {
    std::printf("%s: gave up, and tries again in the right order\n", who);
    const dozer::mutex_guard one(accounts);
    const dozer::mutex_guard other(journal);
  }
  std::printf("%s: done\n", who);
}

}  // namespace

int main() {
  dozer::thread_pool pool({.threads = 2, .name = "bank", .on_deadlock = [](const dozer::deadlock_report& report) {
                             std::printf("%s\n", report.to_string().c_str());
                             return dozer::deadlock_action::throw_error;
                           }});
  std::atomic<int> have_one{0};
  auto transfer =
      pool.submit(dozer::named("transfer", [&] { report_and_go_on("transfer", accounts, journal, have_one); }));
  auto audit = pool.submit(dozer::named("audit", [&] { report_and_go_on("audit", journal, accounts, have_one); }));
  transfer.get();
  audit.get();
}
