// The pool does not know that its workers wait.
#include "scope.hpp"

int main(int argc, char** argv) { return measure_blocking(argc, argv, &wait_outside); }
