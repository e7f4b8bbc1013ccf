#include "scope.hpp"

int main(int argc, char** argv) {
  return measure_blocking(argc, argv, [] { dozer::blocking(&wait_outside); });
}
