// Framers of replies whose length is known: fixed, or told by a number at their front.
#pragma once

#include <algorithm>
#include <cstdint>

#include "wire/framing/step.h"

namespace wiremark::wire {

/// `left` bytes of the reply are missing from bytes[at] on; takes those that are here off it.
inline Step step_towards_end(Bytes bytes, std::size_t at, std::uint64_t& left) noexcept {
  const std::uint64_t here = bytes.size() - at;
  if (here >= left) return step_over(bytes, at + static_cast<std::size_t>(left), true);
  left -= here;
  Step step = step_over(bytes, bytes.size(), false);
  step.ahead = left;
  return step;
}

/// Replies of one size.
class SizeFramer {
 public:
  struct State {
    std::uint64_t read = 0;
  };

  explicit SizeFramer(std::uint64_t size) noexcept : size_(size) {}

  Step take(State& state, Bytes bytes, Asked) const noexcept {
    return take_sized(state, bytes, size_);
  }

  static Step take_sized(State& state, Bytes bytes, std::uint64_t size) noexcept {
    std::uint64_t left = size - state.read;
    const Step step = step_towards_end(bytes, 0, left);
    state.read = step.whole ? 0 : size - left;
    return step;
  }

 private:
  std::uint64_t size_;
};

/// Replies as long as their requests.
class EchoFramer {
 public:
  using State = SizeFramer::State;

  Step take(State& state, Bytes bytes, Asked asked) const noexcept {
    return SizeFramer::take_sized(state, bytes, asked.size);
  }
};

/// No replies: what comes is of none.
class NoFramer {
 public:
  struct State {};

  Step take(State&, Bytes bytes, Asked) const noexcept {
    return step_over(bytes, bytes.size(), false);
  }
};

/// Whatever a datagram holds.
class DatagramFramer {
 public:
  struct State {};

  Step take(State&, Bytes bytes, Asked) const noexcept {
    return step_over(bytes, bytes.size(), true);
  }
};

/// An unsigned number of 1, 2, 4 or 8 bytes `offset` bytes into the reply, behind which as many
/// bytes follow as it says, and `adjust` more.
struct PrefixForm {
  unsigned width = 4;
  bool big = true;
  std::uint64_t offset = 0;
  std::int64_t adjust = 0;
};

inline constexpr const char* kLengthTooSmall = "its length is less than what has come";
inline constexpr const char* kLengthTooLarge = "its length is over 2^63";

/// `length` as a reply says it, adjusted; false where no reply is so long.
inline bool adjust_length(std::uint64_t& length, std::int64_t adjust, const char*& wrong) noexcept {
  if (length > INT64_MAX) {
    wrong = kLengthTooLarge;
    return false;
  }
  const std::int64_t adjusted =
      static_cast<std::int64_t>(length) +
      std::min<std::int64_t>(adjust, INT64_MAX - static_cast<std::int64_t>(length));
  if (adjusted < 0) {
    wrong = kLengthTooSmall;
    return false;
  }
  length = static_cast<std::uint64_t>(adjusted);
  return true;
}

class PrefixFramer {
 public:
  struct State {
    std::uint64_t read = 0;    // Up to the end of the number.
    std::uint64_t number = 0;  // As far as it was read; then the bytes that are left.
  };

  explicit PrefixFramer(PrefixForm form) noexcept : form_(form), head_(form.offset + form.width) {}

  Step take(State& state, Bytes bytes, Asked) const noexcept {
    std::size_t at = 0;
    if (state.read < head_) {
      at = static_cast<std::size_t>(std::min<std::uint64_t>(
          bytes.size(), state.read < form_.offset ? form_.offset - state.read : 0));
      state.read += at;
      for (; at < bytes.size() && state.read < head_; ++at, ++state.read) {
        const auto byte = std::to_integer<std::uint64_t>(bytes[at]);
        if (form_.big)
          state.number = state.number << 8 | byte;
        else
          state.number |= byte << 8 * (state.read - form_.offset);
      }
      if (state.read < head_) {
        Step step = step_over(bytes, bytes.size(), false);
        step.ahead = head_ - state.read;
        return step;
      }
      const char* wrong = nullptr;
      if (!adjust_length(state.number, form_.adjust, wrong)) return step_wrong(wrong);
    }
    const Step step = step_towards_end(bytes, at, state.number);
    if (step.whole) state = {};
    return step;
  }

 private:
  PrefixForm form_;
  std::uint64_t head_;
};

/// A number in groups of seven bits, the lowest first, as protobuf writes lengths (at most ten
/// bytes), behind which as many bytes follow, and `adjust` more.
class VarintFramer {
 public:
  struct State {
    std::uint64_t number = 0;  // As far as it was read; then the bytes that are left.
    std::uint8_t shift = 0;
    bool read = false;
  };

  explicit VarintFramer(std::int64_t adjust) noexcept : adjust_(adjust) {}

  Step take(State& state, Bytes bytes, Asked) const noexcept {
    std::size_t at = 0;
    while (!state.read) {
      if (at == bytes.size()) return step_over(bytes, at, false);
      const auto byte = std::to_integer<std::uint64_t>(bytes[at++]);
      if (state.shift > 63 || (state.shift == 63 && byte > 1))
        return step_wrong("its length is a varint of over 64 bits");
      state.number |= (byte & 0x7f) << state.shift;
      state.shift = static_cast<std::uint8_t>(state.shift + 7);
      state.read = byte < 0x80;
      const char* wrong = nullptr;
      if (state.read && !adjust_length(state.number, adjust_, wrong)) return step_wrong(wrong);
    }
    const Step step = step_towards_end(bytes, at, state.number);
    if (step.whole) state = {};
    return step;
  }

 private:
  std::int64_t adjust_;
};

}  // namespace wiremark::wire
