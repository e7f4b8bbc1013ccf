// A tune for two hands: their notes merged into one score, and a sound that is generated, copied and turned round.
#include <dozer/dozer.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <random>
#include <vector>

namespace {

enum class hand { left, right };

struct note {
  int start;  // in milliseconds
  hand by;
  int key;
  friend bool operator==(const note&, const note&) = default;
};

/// A note every `pause` milliseconds.
std::vector<note> notes_of(hand by, int pause, std::size_t count) {
  std::vector<note> notes(count);
  int start = 0;
  for (note& n : notes) {
    n = {start, by, start % 88};
    start += pause;
  }
  return notes;
}

}  // namespace

int main() {
  // One score of both, by time. Of notes that start together those of the first range come first. The two projections
  // say by what the ranges are sorted, and may differ.
  const auto low = notes_of(hand::left, 300, 100'000), high = notes_of(hand::right, 200, 150'000);
  std::vector<note> score(low.size() + high.size()), expected(score.size());
  dozer::merge(low, high, score.begin(), {}, &note::start, &note::start);
  std::ranges::merge(low, high, expected.begin(), {}, &note::start, &note::start);
  bool right = score == expected;

  // A second of noise. A random generator changes itself, so threads cannot share one: each member has its own.
  constexpr std::ptrdiff_t second = 44'100;
  std::atomic<unsigned> seed{0};
  dozer::worker_local<std::mt19937> chance([&] { return std::mt19937(++seed); });
  std::vector<int> noise(second);
  dozer::generate(noise, [&] { return 1 + static_cast<int>(chance.local()() % 1000); });
  right = right && dozer::all_of(noise, [](int n) { return n >= 1 && n <= 1000; });

  // A tune of ten seconds in a buffer that still holds the last one: silence, and the noise in the third second and in
  // the fifth, there from its end to its beginning.
  std::vector<int> sound(10 * second, -1), expected_sound(sound.size());
  const auto third = sound.begin() + 2 * second, fifth = sound.begin() + 4 * second;
  dozer::fill(sound, 0);
  dozer::copy(noise, third);
  dozer::copy(third, third + second, fifth);
  dozer::reverse(fifth, fifth + second);
  std::copy(noise.begin(), noise.end(), expected_sound.begin() + 2 * second);
  std::reverse_copy(noise.begin(), noise.end(), expected_sound.begin() + 4 * second);
  right = right && sound == expected_sound;

  std::printf("%zu notes and %zu samples, %s\n", score.size(), sound.size(), right ? "as in serial" : "WRONG");
  return right ? 0 : 1;
}
