// The default size, on systems that the test makes up.
#include "topology/topology.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

using namespace dozer::detail;
namespace fs = std::filesystem;

/// A root folder with /proc and /sys files in it.
class made_up_system : public testing::Test {
 protected:
  made_up_system() {
    std::string pattern = (fs::temp_directory_path() / "dozer-system-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
  }
  ~made_up_system() override { fs::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories(fs::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  void version_2(const std::string& group, const std::string& mounted_group = "/") const {
    write("/proc/self/cgroup", "0::" + group + "\n");
    write("/proc/self/mountinfo",
          "25 1 0:22 / /proc rw - proc proc rw\n"
          "31 23 0:26 " +
              mounted_group + " /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
  }
  void version_1(const std::string& group) const {
    write("/proc/self/cgroup", "12:memory:/elsewhere\n4:cpu,cpuacct:" + group + "\n1:name=systemd:/x\n");
    write("/proc/self/mountinfo",
          "33 25 0:28 / /sys/fs/cgroup/memory rw shared:10 - cgroup cgroup rw,memory\n"
          "34 25 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:11 - cgroup cgroup rw,cpu,cpuacct\n");
  }

  std::string root_;
};

TEST_F(made_up_system, WithoutCgroupsThereIsNoLimit) { EXPECT_EQ(cpus_by_cgroup(root_), std::nullopt); }

TEST_F(made_up_system, Version2QuotaIsRoundedUp) {
  version_2("/app");
  write("/sys/fs/cgroup/app/cpu.max", "250000 100000\n");
  EXPECT_EQ(cpus_by_cgroup(root_), 3u);
}

TEST_F(made_up_system, AQuotaBelowOneCpuStillGivesOne) {
  version_2("/app");
  write("/sys/fs/cgroup/app/cpu.max", "5000 100000\n");
  EXPECT_EQ(cpus_by_cgroup(root_), 1u);
}

TEST_F(made_up_system, Version2MaxIsNoLimit) {
  version_2("/app");
  write("/sys/fs/cgroup/app/cpu.max", "max 100000\n");
  EXPECT_EQ(cpus_by_cgroup(root_), std::nullopt);
}

TEST_F(made_up_system, TheTightestGroupOnTheWayUpRules) {
  version_2("/slice/pod/app");
  write("/sys/fs/cgroup/slice/cpu.max", "800000 100000\n");
  write("/sys/fs/cgroup/slice/pod/cpu.max", "200000 100000\n");
  write("/sys/fs/cgroup/slice/pod/app/cpu.max", "max 100000\n");
  EXPECT_EQ(cpus_by_cgroup(root_), 2u);
}

TEST_F(made_up_system, InAContainerTheMountShowsASubtree) {
  version_2("/docker/abc", "/docker/abc");
  write("/sys/fs/cgroup/cpu.max", "150000 100000\n");
  EXPECT_EQ(cpus_by_cgroup(root_), 2u);
}

TEST_F(made_up_system, Version1QuotaAndPeriod) {
  version_1("/app");
  write("/sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_quota_us", "400000\n");
  write("/sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpus_by_cgroup(root_), 4u);
}

TEST_F(made_up_system, Version1MinusOneIsNoLimit) {
  version_1("/app");
  write("/sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_quota_us", "-1\n");
  write("/sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpus_by_cgroup(root_), std::nullopt);
}

TEST_F(made_up_system, BothVersionsMountedTheTighterRules) {
  version_1("/app");
  write("/sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_quota_us", "600000\n");
  write("/sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_period_us", "100000\n");
  std::ofstream(root_ + "/proc/self/cgroup", std::ios::app) << "0::/app\n";
  std::ofstream(root_ + "/proc/self/mountinfo", std::ios::app)
      << "35 25 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
  write("/sys/fs/cgroup/unified/app/cpu.max", "500000 100000\n");
  EXPECT_EQ(cpus_by_cgroup(root_), 5u);
}

TEST_F(made_up_system, NonsenseInTheFilesIsNoLimit) {
  for (const char* const text : {"", "abc", "100000", "-5 100000", "100000 0", "99999999999999999999 1", "1 2 3"}) {
    version_2("/app");
    write("/sys/fs/cgroup/app/cpu.max", text);
    EXPECT_EQ(cpus_by_cgroup(root_), std::nullopt) << text;
  }
  write("/proc/self/mountinfo", "- - -\n\nx - cgroup2\n");
  EXPECT_EQ(cpus_by_cgroup(root_), std::nullopt);
}

/// Two packages of two cores with two processors each, numbered as Linux usually does: first one of each core, by turns
/// from both packages, then the others.
class TwoPackages : public made_up_system {
 protected:
  TwoPackages() {
    for (int i = 0; i < 8; ++i) {
      const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(i) + "/topology/";
      write(folder + "physical_package_id", std::to_string(i % 2) + "\n");
      write(folder + "core_id", std::to_string(i / 2 % 2) + "\n");
    }
  }
  const std::vector<int> all_{0, 1, 2, 3, 4, 5, 6, 7};
};
using processors = std::vector<int>;

TEST_F(TwoPackages, CompactFillsCoresAndThenPackages) {
  EXPECT_EQ(pinning_order(dozer::pinning::compact, all_, root_), (processors{0, 4, 2, 6, 1, 5, 3, 7}));
}

TEST_F(TwoPackages, SpreadTakesPackagesInTurnThenCoresThenTheirSecondProcessors) {
  EXPECT_EQ(pinning_order(dozer::pinning::spread, all_, root_), (processors{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST_F(TwoPackages, OnlyWhatTheMaskAllowsIsPinnedTo) {
  const processors allowed{2, 4, 6, 7};
  EXPECT_EQ(pinning_order(dozer::pinning::compact, allowed, root_), (processors{4, 2, 6, 7}));
  EXPECT_EQ(pinning_order(dozer::pinning::spread, allowed, root_), (processors{4, 7, 2, 6}));
}

TEST_F(made_up_system, DiesWithTheSameNumbersOfCoresAreToldApart) {
  for (int i = 0; i < 4; ++i) {
    const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(i) + "/topology/";
    write(folder + "physical_package_id", "0\n");
    write(folder + "die_id", std::to_string(i % 2) + "\n");
    write(folder + "core_id", "0\n");
  }
  EXPECT_EQ(pinning_order(dozer::pinning::compact, {0, 1, 2, 3}, root_), (processors{0, 2, 1, 3}));
  EXPECT_EQ(pinning_order(dozer::pinning::spread, {0, 1, 2, 3}, root_), (processors{0, 1, 2, 3}));
}

TEST_F(made_up_system, WithoutATopologyEachProcessorIsACore) {
  const processors allowed{1, 3, 10};
  EXPECT_EQ(pinning_order(dozer::pinning::compact, allowed, root_), allowed);
  EXPECT_EQ(pinning_order(dozer::pinning::spread, allowed, root_), allowed);
  write("/sys/devices/system/cpu/cpu3/topology/physical_package_id", "-1\n");
  write("/sys/devices/system/cpu/cpu3/topology/core_id", "nonsense\n");
  EXPECT_EQ(pinning_order(dozer::pinning::compact, allowed, root_), allowed);
}

TEST(Affinity, CountsTheCpusOfTheMask) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(allowed_processors().size(), static_cast<std::size_t>(CPU_COUNT(&before)));
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &before)) {
      CPU_SET(cpu, &one);
      break;
    }
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(allowed_processors().size(), 1u);
  EXPECT_TRUE(CPU_ISSET(allowed_processors()[0], &one));
  EXPECT_EQ(default_num_threads(), 1u);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(ThreadCount, IsANumberInRangeOrNothing) {
  EXPECT_EQ(parse_thread_count("1"), 1u);
  EXPECT_EQ(parse_thread_count("65535"), 65535u);
  for (const char* const text : {"", "0", "-1", "abc", "4x", " 4", "4 ", "65536", "99999999999", "1.5", "+3"}) {
    EXPECT_EQ(parse_thread_count(text), std::nullopt) << text;
  }
}

}  // namespace
