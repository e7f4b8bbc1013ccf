// The shared object that this code is in, if it is in one: a plug-in, or the library itself.
#include <dozer/detail/platform.hpp>

#if defined(__GLIBC__)
#include <dlfcn.h>
#include <link.h>
// Weak: a program that is linked statically has neither, and nothing to keep.
#pragma weak dladdr1
#pragma weak dlopen
#endif

namespace dozer::inline DOZER_PLATFORM::detail {

void keep_code_loaded() noexcept {
#if defined(__GLIBC__)  // musl never takes code away
  static constinit atomic<bool> asked{false};
  if (asked.load(relaxed) || &dladdr1 == nullptr || &dlopen == nullptr) {  // relaxed: asking twice does no harm
    return;
  }
  Dl_info ignored;
  link_map* object = nullptr;
  const void* const here = &asked;
  if (dladdr1(here, &ignored, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) != 0 && object->l_name[0] != '\0') {
    static_cast<void>(dlopen(object->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE));  // an executable has no name
  }
  asked.store(true, relaxed);  // relaxed: nothing comes with it
#endif
}

}  // namespace dozer::inline DOZER_PLATFORM::detail
