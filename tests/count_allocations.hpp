// How often the calling thread has called operator new. Linking this in replaces operator new.
#pragma once

#include <cstddef>

namespace dozer_test {

[[nodiscard]] std::size_t allocations();

}  // namespace dozer_test
