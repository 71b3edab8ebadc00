// What a reactor does for its connections now and then, beside their messages.
#include "net/upkeep.h"

#include <malloc.h>

namespace wiremark::net {

Upkeep::Upkeep(const ReactorOptions& options) noexcept
    : idle_timeout_(options.idle_timeout),
      memory_limit_(options.memory_limit),
      memory_kept_(options.memory_kept),
      mark_(std::min(options.memory_limit, options.memory_kept)) {
  if (idle_timeout_ > 0) due_ = sweep_at_ = 0;
}

// Freed memory stays in the heap for the next connection. It goes back to the system only when it
// was not needed for a while: that takes the kernel about 0.1 ms per MiB, and as long again if it
// is needed after all.
void Upkeep::look(Nanoseconds now, std::size_t held) {
  if (held > mark_) {
    most_ = std::max(most_, held);
    spare_ = false;
    if (look_at_ == kNever && memory_kept_ != SIZE_MAX) look_at_ = now + kLook;
  }
  mark_ = std::min(memory_limit_, std::max(memory_kept_, held + memory_kept_ / 8));
  if (now < look_at_) return;
  const bool much_less = most_ > held && most_ - held > memory_kept_;
  if (much_less && spare_) {
    ::malloc_trim(0);
    most_ = held;
  }
  spare_ = much_less && !spare_;
  look_at_ = most_ > memory_kept_ ? now + kLook : kNever;
}

}  // namespace wiremark::net
