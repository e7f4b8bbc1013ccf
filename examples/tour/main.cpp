// A tour of the library: what each part does, and how long it takes against serial code.
//
// tour [PICTURE]   writes a picture to mandelbrot.png, or to the file PICTURE
#include "compare.hpp"
#include "tour.hpp"

#include <dozer/dozer.hpp>

#include <cstdio>

namespace tour {

void headline(const char* what) { std::printf("\n%s\n", what); }

}  // namespace tour

int main(int argc, char** argv) {
  if (argc > 2) {
    std::fprintf(stderr, "usage: %s [PICTURE]\n", argv[0]);
    return 2;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  std::printf("dozer runs on %u threads here (DOZER_THREADS=n changes that)\n", dozer::current_num_threads());
  tour::explain_comparisons();
  tour::show_join();
  tour::show_picture(argc == 2 ? argv[1] : "mandelbrot.png");
  tour::show_algorithms();
  tour::show_the_rest();
  tour::show_sleep();
}
