// Hashes all files below a folder in parallel, twice: with the reads declared as blocking, so that spare workers
// compute meanwhile, and without.
//
// hash_tree [folder] [--threads n] [--delay ms]
//
// What is in the page cache does not block. So what counts can be seen on a small machine, too, each read can be
// delayed as by a slow disk or a server.
#include <dozer/dozer.hpp>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct settings {
  fs::path folder = ".";
  unsigned threads = 4;
  unsigned delay_ms = 5;
};

struct totals {
  std::atomic<std::uint64_t> files{0}, bytes{0}, unreadable{0};
  std::atomic<std::uint64_t> hash{0};  // the sum over all files: their order does not matter
};

std::uint64_t hash(std::string_view text, std::uint64_t start) {
  for (const char c : text) {
    start = (start ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  return start;
}

std::string read(const fs::path& file, unsigned delay_ms) {
  std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms));
  std::ifstream in(file, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in.good() && !in.eof()) {
    throw std::system_error(std::make_error_code(std::errc::io_error), file.string());
  }
  return text;
}

void hash_file(const fs::path& file, const settings& s, bool declared, totals& all) {
  try {
    const auto do_read = [&] { return read(file, s.delay_ms); };
    const std::string text = declared ? dozer::blocking("reading a file", do_read) : do_read();
    all.hash += hash(text, hash(file.string(), 0xcbf29ce484222325u));
    all.bytes += text.size();
    ++all.files;
  } catch (const std::system_error&) {
    ++all.unreadable;
  }
}

/// Each folder and each file is a job.
void walk(const fs::path& folder, const settings& s, bool declared, totals& all, dozer::spawner& jobs) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const fs::directory_entry entry = *at;
    if (entry.is_symlink(error)) {
      continue;
    }
    if (entry.is_directory(error)) {
      jobs.spawn(
          [&s, declared, &all, path = entry.path()](dozer::spawner& more) { walk(path, s, declared, all, more); });
    } else if (entry.is_regular_file(error)) {
      jobs.spawn([&s, declared, &all, path = entry.path()] { hash_file(path, s, declared, all); });
    }
  }
  if (error) {
    ++all.unreadable;
  }
}

std::uint64_t hash_tree(dozer::thread_pool& pool, const settings& s, bool declared) {
  totals all;
  const auto start = std::chrono::steady_clock::now();
  pool.install([&] { dozer::scope([&](dozer::spawner& jobs) { walk(s.folder, s, declared, all, jobs); }); });
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::printf("%-24s %8llu files, %10llu bytes, hash %016llx: %.3f s",
              declared ? "reads declared:" : "not declared:", static_cast<unsigned long long>(all.files),
              static_cast<unsigned long long>(all.bytes), static_cast<unsigned long long>(all.hash), took.count());
  if (all.unreadable != 0) {
    std::printf(" (%llu could not be read)", static_cast<unsigned long long>(all.unreadable));
  }
  std::printf("\n");
  return all.hash;
}

/// False: not a number.
bool number(const char* text, unsigned& to) {
  const char* const end = text + std::strlen(text);
  const auto [read_until, error] = std::from_chars(text, end, to);
  return error == std::errc() && read_until == end;
}

int usage(const char* program, std::FILE* to = stderr) {
  std::fprintf(to,
               "usage: %s [folder] [--threads n] [--delay ms]\n"
               "Hashes all files below the folder (.) with n workers (4), with and without telling the pool that reads "
               "block.\nEach read takes so many milliseconds more (5), as on a slow disk.\n",
               program);
  return to == stderr ? 2 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  settings s;
  bool has_folder = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if ((argument == "--threads" || argument == "--delay") && i + 1 < argc) {
      if (!number(argv[++i], argument == "--threads" ? s.threads : s.delay_ms)) {
        return usage(argv[0]);
      }
    } else if (argument == "--help" || argument == "-h") {
      return usage(argv[0], stdout);
    } else if (argument.starts_with("-") || has_folder) {
      return usage(argv[0]);
    } else {
      s.folder = argument;
      has_folder = true;
    }
  }
  std::error_code why;
  if (!fs::is_directory(s.folder, why)) {
    std::fprintf(stderr, "%s: \"%s\" is no folder%s%s\n", argv[0], s.folder.c_str(), why ? ": " : "",
                 why ? why.message().c_str() : "");
    return 1;
  }
  try {
    dozer::thread_pool pool({.threads = s.threads});
    return hash_tree(pool, s, false) == hash_tree(pool, s, true) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
}
