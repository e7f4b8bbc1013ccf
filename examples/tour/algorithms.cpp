// Algorithms beside those of std: a sum, a sort, and words counted by reduce.
#include "compare.hpp"
#include "tour.hpp"

#include <dozer/dozer.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tour {

namespace {

// ---- words --------------------------------------------------------------------------------------

/// So many made-up words with a blank behind each. As in a language, few of them are most of the text.
std::string some_text(int words) {
  static constexpr const char* syllables[] = {"do", "ze", "ri", "ka", "mo", "su", "ta", "len", "vi", "or", "ne", "pa"};
  std::mt19937 chance(1);
  std::uniform_real_distribution<double> uniform(0, std::log(8000.0));
  std::string text;
  for (int i = 0; i < words; ++i) {
    for (auto rank = static_cast<unsigned>(std::exp(uniform(chance))); rank != 0; rank /= 12) {
      text += syllables[rank % 12];
    }
    text += ' ';
  }
  return text;
}

/// Stretches of some 64 KiB that end with a word.
std::vector<std::string_view> pieces_of(std::string_view text) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    const std::size_t blank = text.find(' ', std::min<std::size_t>(text.size() - 1, 65'536));
    pieces.push_back(text.substr(0, blank + 1));
    text.remove_prefix(blank + 1);
  }
  return pieces;
}

using counts = std::unordered_map<std::string_view, long>;

/// What reduce makes of pieces: a piece is counted into the map of its neighbours, and two maps become one.
struct word_counts {
  counts map;

  word_counts() = default;
  explicit word_counts(std::string_view piece) { add(piece); }

  void add(std::string_view piece) {
    for (std::size_t from = 0, blank; from != piece.size(); from = blank + 1) {
      blank = piece.find(' ', from);
      ++map[piece.substr(from, blank - from)];
    }
  }
};
struct add_words {
  word_counts operator()(word_counts all, std::string_view piece) const {
    all.add(piece);
    return all;
  }
  word_counts operator()(word_counts a, word_counts b) const {
    if (a.map.size() < b.map.size()) {
      std::swap(a, b);
    }
    for (const auto& [word, times] : b.map) {
      a.map[word] += times;
    }
    return a;
  }
};

void show_words() {
  constexpr int words = 2'000'000;
  const std::string text = some_text(words);
  const auto pieces = pieces_of(text);
  word_counts serial, parallel;
  compare(
      "reduce: counts of 2,000,000 words",
      [&] {
        serial = {};
        for (const std::string_view piece : pieces) {
          serial.add(piece);
        }
      },
      [&] { parallel = dozer::reduce(pieces, word_counts(), add_words()); });

  std::vector<std::pair<std::string_view, long>> sorted(parallel.map.begin(), parallel.map.end());
  const auto more = [](const auto& a, const auto& b) {
    return std::pair(-a.second, a.first) < std::pair(-b.second, b.first);
  };
  dozer::partial_sort(sorted, sorted.begin() + 5, more);
  std::printf("    %zu different words, %s. The most frequent ones:", sorted.size(),
              serial.map == parallel.map ? "the same either way" : "WRONG");
  for (std::size_t i = 0; i < 5; ++i) {
    std::printf(" %.*s %ld", static_cast<int>(sorted[i].first.size()), sorted[i].first.data(), sorted[i].second);
  }
  std::printf("\n");
}

// ---- numbers ------------------------------------------------------------------------------------

void show_sort() {
  std::vector<std::uint64_t> numbers(10'000'000);
  std::mt19937_64 chance(1);
  std::generate(numbers.begin(), numbers.end(), chance);
  auto copy = numbers;
  const auto reset = [&] { std::copy(numbers.begin(), numbers.end(), copy.begin()); };
  compare(
      "sort: 10,000,000 numbers", [&] { std::sort(copy.begin(), copy.end()); }, [&] { dozer::sort(copy); }, reset);
  std::printf("    std::sort compares. dozer::sort goes by digits: see what that alone gives under \"1 thread\".\n");
}

void show_sum() {
  std::vector<double> numbers(10'000'000);
  dozer::transform(numbers, numbers.begin(), [](double) { return 0.5; });
  double serial = 0, parallel = 0;
  compare(
      "reduce: a sum of 10,000,000 numbers", [&] { serial = std::reduce(numbers.begin(), numbers.end()); },
      [&] { parallel = dozer::reduce(numbers); });
  std::printf("    %.0f, and %.0f\n", serial, parallel);
}

}  // namespace

void show_algorithms() {
  headline("algorithms: those of std in parallel (docs/algorithms.md)");
  show_sum();
  show_words();
  show_sort();
}

}  // namespace tour
