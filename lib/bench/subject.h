// What is timed: a loop over one step of a codec, behind one virtual call per batch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/cell.h"
#include "bench/random.h"
#include "wire/decode_error.h"

namespace wiremark::bench {

/// Makes the compiler compute `value` into a register. Memory is not affected, so that other
/// results of a decoder can stay in registers too.
template <class T>
inline void consume(const T& value) noexcept {
  asm volatile("" : : "r"(value));
}

/// Makes the compiler believe that all of `object` is read here.
template <class T>
inline void consume_object(const T& object) noexcept {
  asm volatile("" : : "m"(object));
}

/// Makes the compiler believe that the bytes at `at` are read here: all stores happen before.
inline void consume_written(const void* at, std::size_t size) noexcept {
  asm volatile("" : : "r"(at), "r"(size) : "memory");
}

/// An error of a decoder in the words of a failed check: "invalid_utf8 at byte 5".
std::string describe(wire::DecodeError error);

/// One row set up in one thread, with its own codec and data at addresses of its own.
class Subject {
 public:
  virtual ~Subject() = default;

  /// Does every item once and compares the result with what went in; returns what went wrong, or
  /// nothing.
  virtual std::string check() = 0;

  /// Makes a new order for batches of about `operations`; returns how many a batch then has.
  virtual std::size_t reorder(std::size_t operations, Random& random) = 0;

  /// Runs one batch in the order made last.
  virtual void run() = 0;

  /// Mean size of the items on the wire, in bytes.
  virtual double wire_bytes() = 0;
};

/// Batches of a cold order are at most this long, so that the predictor never sees one twice.
inline constexpr std::size_t kColdBatchMax = 16'384;

/// A Step has items() (how many there are, at most 65,536), check(), wire_bytes() and
/// operator()(index), which does one operation and consumes its result. The call is inlined here:
/// nothing virtual happens between two operations.
template <class Step>
class TimedLoop final : public Subject {
 public:
  template <class... Args>
  explicit TimedLoop(Access access, Args&&... args)
      : access_(access), step_(access, std::forward<Args>(args)...) {}

  std::string check() override { return step_.check(); }
  double wire_bytes() override { return step_.wire_bytes(); }

  std::size_t reorder(std::size_t operations, Random& random) override {
    if (access_ == Access::cold) {
      picks_.resize(std::clamp<std::size_t>(operations, 1, kColdBatchMax));
      for (std::uint16_t& pick : picks_) {
        pick = static_cast<std::uint16_t>(random.below(step_.items()));
      }
      return picks_.size();
    }
    if (picks_.empty()) {
      picks_.resize(step_.items());
      for (std::size_t i = 0; i < picks_.size(); ++i) picks_[i] = static_cast<std::uint16_t>(i);
      shuffle(picks_, random);
    }
    rounds_ = std::max<std::size_t>(1, (operations + picks_.size() - 1) / picks_.size());
    return rounds_ * picks_.size();
  }

  void run() override {
    for (std::size_t round = 0; round < rounds_; ++round) {
      for (const std::uint16_t pick : picks_) step_(pick);
    }
  }

 private:
  Access access_;
  Step step_;
  std::vector<std::uint16_t> picks_;
  std::size_t rounds_ = 1;
};

/// A row of the table and how a thread sets it up; two calls never share memory.
struct Row {
  CellName name;
  std::function<std::unique_ptr<Subject>(Random&)> make;
};

/// The row that times `Step`, constructed from the access, `args` and a Random.
template <class Step, class... Args>
Row make_row(const CellName& name, Args... args) {
  return {name, [access = name.access, ... args = std::move(args)](Random& random) {
            return std::unique_ptr<Subject>(new TimedLoop<Step>(access, args..., random));
          }};
}

}  // namespace wiremark::bench
