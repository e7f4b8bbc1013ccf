// The rule by which small loops from outside begin alone: evidence first, and twice as much after each mistake.
#include "support.hpp"

#include <dozer/detail/loop.hpp>
#include <dozer/detail/short_loops.hpp>

namespace {

using dozer::detail::alone_for;
using dozer::detail::loop_kind;
using dozer::detail::short_loops;

constexpr loop_kind kind{}, other{};

/// How many short loops it takes until the next one is trusted.
std::uint32_t evidence(short_loops& known) {
  std::uint32_t loops = 0;
  for (; !known.trusts(kind) && loops < 1u << 20; ++loops) {
    known.ran(alone_for - 1);
  }
  return loops;
}

TEST(ShortLoops, AreTrustedAfterSixteenInARow) {
  short_loops known;
  EXPECT_EQ(evidence(known), 16u);
}

TEST(ShortLoops, ALongOneAmongThemBeginsTheCountAnew) {
  short_loops known;
  for (int i = 0; i < 15; ++i) {
    known.ran(0);
  }
  known.ran(alone_for);
  EXPECT_EQ(evidence(known), 16u);
}

TEST(ShortLoops, AMistakeDoublesTheEvidenceThatIsNeeded) {
  short_loops known;
  for (std::uint32_t expected = 16; expected <= 4096; expected *= 2) {
    EXPECT_EQ(evidence(known), expected);
    known.ran_alone(short_loops::mistake);
  }
}

TEST(ShortLoops, AnInterruptionIsNoMistake) {
  short_loops known;
  EXPECT_EQ(evidence(known), 16u);
  known.ran_alone(short_loops::wake_up - 1);
  EXPECT_TRUE(known.trusts(kind));
  known.ran_alone(short_loops::wake_up);
  EXPECT_EQ(evidence(known), 16u);
}

TEST(ShortLoops, AnotherKindOfLoopIsNotTrusted) {
  short_loops known;
  EXPECT_EQ(evidence(known), 16u);
  EXPECT_FALSE(known.trusts(other));
}

TEST(ShortLoops, AMistakeIsNotForgottenWhenKindsTakeTurns) {
  short_loops known;
  for (std::uint32_t expected = 16; expected <= 4096; expected *= 2) {
    EXPECT_EQ(evidence(known), expected);
    known.ran_alone(short_loops::mistake);
    EXPECT_FALSE(known.trusts(other));
  }
}

}  // namespace
