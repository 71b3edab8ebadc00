// How often this thread has asked for memory, counted by functions in place of the allocator's.
#include "bench/allocations.h"

#include <cerrno>
#include <cstdlib>

// Sanitizers replace the same functions, and only glibc has names for the originals.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define WIREMARK_COUNTS_ALLOCATIONS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define WIREMARK_COUNTS_ALLOCATIONS 0
#else
#define WIREMARK_COUNTS_ALLOCATIONS 1
#endif
#else
#define WIREMARK_COUNTS_ALLOCATIONS 1
#endif

#if WIREMARK_COUNTS_ALLOCATIONS

namespace {

// Constant-initialised and in the program's own TLS block, so that using it never allocates.
constinit thread_local std::uint64_t count = 0;

}  // namespace

extern "C" {

void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t number, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) noexcept {
  ++count;
  return __libc_malloc(size);
}

void* calloc(std::size_t number, std::size_t size) noexcept {
  ++count;
  return __libc_calloc(number, size);
}

void* realloc(void* block, std::size_t size) noexcept {
  ++count;
  return __libc_realloc(block, size);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
  ++count;
  return __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  ++count;
  return __libc_memalign(alignment, size);
}

int posix_memalign(void** block, std::size_t alignment, std::size_t size) noexcept {
  ++count;
  void* made = __libc_memalign(alignment, size);
  if (made == nullptr) return ENOMEM;
  *block = made;
  return 0;
}

}  // extern "C"

#endif

namespace wiremark::bench {

std::optional<std::uint64_t> allocations_of_this_thread() noexcept {
#if WIREMARK_COUNTS_ALLOCATIONS
  return count;
#else
  return std::nullopt;
#endif
}

}  // namespace wiremark::bench
