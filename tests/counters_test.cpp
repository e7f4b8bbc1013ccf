// The packed word: a value type whose fields do not leak into each other.
#include <dozer/detail/counters.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace {

using namespace dozer::detail;

TEST(Counters, FieldsComeBackAsTheyWerePut) {
  EXPECT_TRUE(rc::check("asleep, hungry, quiet and JEC are independent", [] {
    const auto jec = *rc::gen::inRange<std::uint32_t>(0, std::uint32_t{1} << jobs_event_bits);
    const auto inactive = *rc::gen::inRange<std::uint32_t>(0, counters::max_members + 1);
    const auto quiet = *rc::gen::inRange<std::uint32_t>(0, counters::max_members + 1);
    const std::uint32_t hungry = inactive + quiet;
    const auto asleep = *rc::gen::inRange<std::uint32_t>(0, inactive + 1);
    const counters value(counters::starting_at(jec).bits() + hungry * counters::one_hungry +
                         quiet * counters::one_quiet + asleep * counters::one_asleep);
    RC_ASSERT(value.jec() == jec);
    RC_ASSERT(value.hungry() == hungry);
    RC_ASSERT(value.quiet() == quiet);
    RC_ASSERT(value.inactive() == inactive);
    RC_ASSERT(value.asleep() == asleep);
    RC_ASSERT(value.searchers() == inactive - asleep);
    RC_ASSERT(value.with_next_jec().inactive() == inactive);
    RC_ASSERT(value.with_next_jec().quiet() == quiet);
    RC_ASSERT(value.with_next_jec().asleep() == asleep);
    RC_ASSERT(value.with_next_jec().jec() == ((jec + 1) & ((std::uint32_t{1} << jobs_event_bits) - 1)));
  }));
}

TEST(Counters, ThreadFieldsHoldTheGreatestPool) { EXPECT_EQ(counters::max_members, 65535u); }

TEST(Counters, AnnounceSleepyMakesOddEvenAndLeavesEvenAlone) {
  counters_word odd(7);
  EXPECT_EQ(odd.announce_sleepy().jec(), 8u);
  EXPECT_EQ(odd.announce_sleepy().jec(), 8u);
  counters_word even(6);
  EXPECT_EQ(even.announce_sleepy().jec(), 6u);
}

TEST(Counters, AnnounceWorkMakesEvenOddAndLeavesOddAlone) {
  counters_word even(6);
  EXPECT_EQ(even.announce_work().jec(), 7u);
  EXPECT_EQ(even.announce_work().jec(), 7u);
}

TEST(Counters, JecWrapsWithoutTouchingTheThreadCounts) {
  counters_word word((std::uint32_t{1} << jobs_event_bits) - 1);
  word.add_inactive();
  const counters now = word.announce_sleepy();
  EXPECT_EQ(now.jec(), 0u);
  EXPECT_EQ(now.inactive(), 1u);
  EXPECT_EQ(now.asleep(), 0u);
}

TEST(Counters, RegisteringFailsIfWorkWasAnnouncedSince) {
  counters_word word(0);
  word.add_inactive();
  const std::uint32_t jec = word.announce_sleepy().jec();
  word.announce_work();
  counters before(0);
  EXPECT_FALSE(word.try_add_asleep(jec, before));
  EXPECT_EQ(word.load(relaxed).asleep(), 0u);
}

TEST(Counters, RegisteringSucceedsAcrossOtherMembersTransitionsAndTellsTheWordBefore) {
  counters_word word(0);
  word.add_inactive();
  const std::uint32_t jec = word.announce_sleepy().jec();
  word.add_inactive();
  counters before(0);
  ASSERT_TRUE(word.try_add_asleep(jec, before));
  EXPECT_EQ(before.searchers(), 2u);
  EXPECT_EQ(word.load(relaxed).asleep(), 1u);
  EXPECT_EQ(word.load(relaxed).searchers(), 1u);
}

TEST(Counters, AGuestSitsDownAndGetsUpInOneStepEach) {
  counters_word word(4);
  word.add_inactive();
  counters before(0);
  ASSERT_TRUE(word.try_add_asleep(4, before));
  word.sit_down_quietly();
  EXPECT_EQ(word.load(relaxed).asleep(), 0u);
  EXPECT_EQ(word.load(relaxed).inactive(), 0u);
  EXPECT_EQ(word.load(relaxed).quiet(), 1u);
  EXPECT_EQ(word.load(relaxed).hungry(), 1u) << "a fork must tell others of its job";
  word.get_up_quietly();
  EXPECT_EQ(word.load(relaxed).asleep(), 1u);
  EXPECT_EQ(word.load(relaxed).inactive(), 1u);
  EXPECT_EQ(word.load(relaxed).quiet(), 0u);
}

TEST(Counters, AGuestThatIsQuietNoLongerLooksLikeAnyActiveMember) {
  counters_word word(4);
  word.add_inactive();
  counters before(0);
  ASSERT_TRUE(word.try_add_asleep(4, before));
  word.sit_down_quietly();
  word.sub_quiet(1);
  EXPECT_EQ(word.load(relaxed), counters::starting_at(4));
  word.add_asleep_and_inactive();
  EXPECT_EQ(word.load(relaxed).asleep(), 1u);
  EXPECT_EQ(word.load(relaxed).inactive(), 1u);
}

TEST(Counters, ArePrintable) {
  counters_word word(3);
  word.add_inactive();
  EXPECT_EQ(to_string(word.load(relaxed)), "asleep 0, inactive 1, jec 3 (work announced)");
}

}  // namespace
