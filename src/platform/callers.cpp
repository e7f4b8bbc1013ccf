// Who has called: return addresses, and where in which file they lie.
#include <dozer/detail/platform.hpp>

#if defined(__linux__)
#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>
#include <unwind.h>

#include <cstdlib>
#include <memory>
#endif

namespace dozer::inline DOZER_PLATFORM::detail {

#if defined(__linux__)

namespace {

struct walk {
  const void* first;
  call_chain found{};
  std::size_t count = 0;
  int frames_before = 0;
};

_Unwind_Reason_Code step(_Unwind_Context* frame, void* raw) {
  auto& w = *static_cast<walk*>(raw);
  const auto* const address = reinterpret_cast<const void*>(_Unwind_GetIP(frame));
  constexpr int own_frames = 16;  // more than there are below the first
  if (w.count != 0 || address == w.first) {
    w.found[w.count++] = address;
  } else if (++w.frames_before == own_frames) {
    return _URC_END_OF_STACK;
  }
  return w.count == w.found.size() ? _URC_END_OF_STACK : _URC_NO_REASON;
}

std::string path_of_the_program() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string();
}

std::string demangled(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(symbol, nullptr, nullptr, &status),
                                                         &std::free);
  return text != nullptr ? text.get() : symbol;
}

}  // namespace

call_chain callers_from(const void* first) noexcept {
  walk w{first};
  _Unwind_Backtrace(&step, &w);
  w.found[0] = first;  // also where the stack cannot be walked
  return w.found;
}

code_place place_of(const void* return_address) {
  struct search {
    std::uintptr_t address;
    code_place found;
  } s{reinterpret_cast<std::uintptr_t>(return_address) - 1, {}};  // in the call: what it returns to may be another line
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* raw) -> int {
        auto& in = *static_cast<search*>(raw);
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto& part = object->dlpi_phdr[i];
          // Unsigned: what lies before the part is far behind it.
          if (part.p_type == PT_LOAD && in.address - object->dlpi_addr - part.p_vaddr < part.p_memsz) {
            in.found.module = *object->dlpi_name != '\0' ? object->dlpi_name : path_of_the_program();
            in.found.offset = in.address - object->dlpi_addr;
            return 1;
          }
        }
        return 0;
      },
      &s);
  Dl_info known{};
  if (dladdr(reinterpret_cast<const void*>(s.address), &known) != 0 && known.dli_sname != nullptr) {
    s.found.symbol = demangled(known.dli_sname);
  }
  return s.found;
}

#else

call_chain callers_from(const void* first) noexcept { return {first}; }

code_place place_of(const void* return_address) { return {{}, reinterpret_cast<std::uintptr_t>(return_address), {}}; }

#endif

}  // namespace dozer::inline DOZER_PLATFORM::detail
