// The stops of the tour.
#pragma once

#include <string>

namespace tour {

void headline(const char* what);

void show_join();
/// Writes a picture to `path`.
void show_picture(const std::string& path);
void show_algorithms();
void show_the_rest();
void show_sleep();

/// fib(n) with a fork at each call from 16 on.
long forked_fib(int n);

}  // namespace tour
