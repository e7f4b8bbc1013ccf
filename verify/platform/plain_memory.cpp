// How the machine hears of plain memory: the checked sources are compiled with -fsanitize=thread, which calls these
// before each access that others might see, but linked with this file in place of that sanitizer's library. And the
// program's operator new, and the memory of its exceptions.
#include "../engine/machine.hpp"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

void accessed(const void* p, std::size_t bytes, bool write) noexcept {
  if (verify::machine::in_program()) {
    verify::the_machine_if_made->plain_access(p, bytes, write);
  }
}

/// Null: there is none.
void* try_to_allocate(std::size_t bytes, std::size_t alignment) {
  if (verify::machine::in_program()) {
    return verify::the_machine_if_made->allocate(bytes, alignment);
  }
  return alignment <= alignof(std::max_align_t)
             ? std::malloc(bytes)
             : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  void* const block = try_to_allocate(bytes, alignment);
  if (block == nullptr) {
    throw std::bad_alloc();
  }
  return block;
}

void release(void* p) noexcept {
  verify::machine* const m = verify::the_machine_if_made;
  if (m != nullptr && m->owns(p)) {
    m->free(p);
  } else {
    std::free(p);
  }
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t a) { return allocate(bytes, static_cast<std::size_t>(a)); }
void operator delete(void* p) noexcept { release(p); }
void operator delete(void* p, std::size_t) noexcept { release(p); }
void operator delete(void* p, std::align_val_t) noexcept { release(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { release(p); }

// Exceptions, too, are memory of the run: one may be in flight, or caught, where a run is kept to be continued again
// and again. libstdc++ keeps notes in front of the object; a dependent exception consists of such notes only. Where
// there is no memory it has a reserve.
namespace {

constexpr std::size_t exception_notes = 128;

std::byte* allocate_exception(std::size_t bytes) {
  void* block = try_to_allocate(exception_notes + bytes, alignof(std::max_align_t));
  if (block == nullptr && verify::machine::in_program()) {
    verify::machine& m = *verify::the_machine_if_made;
    m.deny_memory(false);
    block = m.allocate(exception_notes + bytes, alignof(std::max_align_t));
    m.deny_memory(true);
  }
  std::memset(block, 0, exception_notes);
  return static_cast<std::byte*>(block);
}

}  // namespace

extern "C" void* __cxa_allocate_exception(std::size_t bytes) noexcept {
  return allocate_exception(bytes) + exception_notes;
}
extern "C" void __cxa_free_exception(void* object) noexcept {
  release(static_cast<std::byte*>(object) - exception_notes);
}
extern "C" void* __cxa_allocate_dependent_exception() noexcept { return allocate_exception(0); }
extern "C" void __cxa_free_dependent_exception(void* notes) noexcept { release(notes); }

#define VERIFY_ACCESS(bytes)                                                           \
  extern "C" void __tsan_read##bytes(void* p) { accessed(p, bytes, false); }           \
  extern "C" void __tsan_write##bytes(void* p) { accessed(p, bytes, true); }           \
  extern "C" void __tsan_unaligned_read##bytes(void* p) { accessed(p, bytes, false); } \
  extern "C" void __tsan_unaligned_write##bytes(void* p) { accessed(p, bytes, true); } \
  extern "C" void __tsan_volatile_read##bytes(void*) {}                                \
  extern "C" void __tsan_volatile_write##bytes(void*) {}
VERIFY_ACCESS(1)
VERIFY_ACCESS(2)
VERIFY_ACCESS(4)
VERIFY_ACCESS(8)
VERIFY_ACCESS(16)
extern "C" void __tsan_read_range(void* p, std::size_t bytes) { accessed(p, bytes, false); }
extern "C" void __tsan_write_range(void* p, std::size_t bytes) { accessed(p, bytes, true); }
extern "C" void __tsan_vptr_update(void** p, void*) { accessed(p, sizeof *p, true); }
extern "C" void __tsan_vptr_read(void** p) { accessed(p, sizeof *p, false); }
extern "C" void __tsan_func_entry(void*) {}
extern "C" void __tsan_func_exit() {}
extern "C" void __tsan_init() {}

// The standard library's own atomics, as in a std::stop_token. There is a function for each operation that the checked
// sources come to.
namespace {

/// From the compiler's number.
verify::order order_of(int number) noexcept {
  switch (number) {
    case __ATOMIC_RELAXED:
      return verify::order::relaxed;
    case __ATOMIC_CONSUME:
    case __ATOMIC_ACQUIRE:
      return verify::order::acquire;
    case __ATOMIC_RELEASE:
      return verify::order::release;
    case __ATOMIC_ACQ_REL:
      return verify::order::acq_rel;
    default:
      return verify::order::seq_cst;
  }
}

/// An atomic of the standard library, for one operation.
class standard_atomic {
 public:
  explicit standard_atomic(const volatile int* p) noexcept
      : address_(const_cast<const int*>(p)), location_(on_.standard_atomic(address_, to_bits(*p))) {}

  int load(int how) const noexcept { return from_bits(on_.load(location_, address_, order_of(how), here_)); }
  int add(int value, int how) const noexcept {
    const int old = from_bits(on_.rmw_read(location_, address_, order_of(how), here_));
    on_.rmw_write(location_, to_bits(old + value), order_of(how), here_);
    return old;
  }
  bool compare_exchange(int* expected, int desired, int success, int failed, bool weak) const noexcept {
    std::uint64_t seen = to_bits(*expected);
    const bool won = on_.compare_exchange(location_, address_, seen, to_bits(desired), order_of(success),
                                          order_of(failed), weak, here_);
    *expected = from_bits(seen);
    return won;
  }

 private:
  static std::uint64_t to_bits(int value) noexcept { return static_cast<std::uint32_t>(value); }
  static int from_bits(std::uint64_t bits) noexcept { return static_cast<int>(static_cast<std::uint32_t>(bits)); }

  verify::machine& on_ = verify::the_machine();
  const int* address_;
  std::uint32_t location_;
  verify::site here_ = verify::site::current();
};

}  // namespace

extern "C" int __tsan_atomic32_load(const volatile int* p, int how) {
  const verify::seam_call call;
  return standard_atomic(p).load(how);
}
extern "C" int __tsan_atomic32_fetch_add(volatile int* p, int value, int how) {
  const verify::seam_call call;
  return standard_atomic(p).add(value, how);
}
extern "C" int __tsan_atomic32_fetch_sub(volatile int* p, int value, int how) {
  const verify::seam_call call;
  return standard_atomic(p).add(-value, how);
}
extern "C" bool __tsan_atomic32_compare_exchange_weak(volatile int* p, int* expected, int desired, int success,
                                                      int failed) {
  const verify::seam_call call;
  return standard_atomic(p).compare_exchange(expected, desired, success, failed, true);
}
