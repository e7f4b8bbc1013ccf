#include <dozer/dozer.hpp>

#include "producers.hpp"

int main(int argc, char** argv) {
  dozer::thread_pool pool({.threads = bench::threads(argc, argv)});
  return measure_producers([&](auto job) { pool.spawn(job); });
}
