// An echo without the kernel: two threads that share memory, the floor under every transport.
#include "measure/memory_echo.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "measure/pinned_pair.h"

namespace wiremark::measure {

namespace {

// Holds one message at a time, from one thread to another. Its number comes first and the message
// right behind it, so that a short message is in the same cache line.
class Mailbox {
 public:
  explicit Mailbox(std::size_t size)
      : size_(size), lines_((sizeof(std::uint64_t) + size) / sizeof(Line) + 1) {}

  void put(std::uint64_t number, const std::byte* message) noexcept {
    std::memcpy(begin(), message, size_);
    lines_.front().number.store(number, std::memory_order_release);
  }
  bool has(std::uint64_t number) const noexcept {
    return lines_.front().number.load(std::memory_order_acquire) == number;
  }
  void take(std::byte* into) noexcept { std::memcpy(into, begin(), size_); }

 private:
  struct alignas(128) Line {  // Processors fetch lines of 64 bytes in pairs.
    std::atomic<std::uint64_t> number{0};
  };

  std::byte* begin() noexcept {
    return reinterpret_cast<std::byte*>(lines_.data()) + sizeof(std::uint64_t);
  }

  std::size_t size_;
  std::vector<Line> lines_;
};

}  // namespace

std::optional<Histogram> measure_memory_echo(std::size_t size, Nanoseconds duration,
                                             std::uint64_t trips_max, int client_cpu,
                                             int server_cpu) {
  if (client_cpu == server_cpu) return std::nullopt;
  constexpr std::uint64_t kLast = UINT64_MAX;
  Mailbox there(size), back(size);
  std::optional<Histogram> trips;
  const auto client = [&] {
    trips.emplace();
    std::vector<std::byte> message(size, std::byte{1}), reply(size);
    const Nanoseconds start = now_ns();
    std::uint64_t number = 0;
    for (Nanoseconds before = start; before - start < duration && number < trips_max;) {
      there.put(++number, message.data());
      while (!back.has(number)) continue;
      back.take(reply.data());
      const Nanoseconds after = now_ns();
      trips->record(after - before);
      before = after;
    }
    there.put(kLast, message.data());
  };
  const auto server = [&] {
    std::vector<std::byte> message(size);
    for (std::uint64_t number = 1;; ++number) {
      while (!there.has(number)) {
        if (there.has(kLast)) return;
      }
      there.take(message.data());
      back.put(number, message.data());
    }
  };
  run_pinned_pair(client_cpu, server_cpu, client, server);
  return trips;
}

}  // namespace wiremark::measure
