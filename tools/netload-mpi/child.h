// The netload of a rank.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"

namespace wiremark::tools {

/// A netload as a process; ended with it, and by the kernel should we die first.
class Child {
 public:
  /// Starts the netload beside this program with `arguments` and with a descriptor for --start-fd.
  static Result<Child> start(std::vector<std::string> arguments);
  Child(Child&& other) noexcept;
  Child& operator=(Child&&) = delete;
  ~Child();

  /// Takes what it says, for up to `patience`.
  void listen(Nanoseconds patience);

  /// A word for its launcher, as --start-fd has them.
  std::optional<std::string> take_word() { return first_line(told_); }
  /// A whole line of its standard output, without the newline.
  std::optional<std::string> take_line();
  /// True when it has ended and all it said was taken.
  bool ended() const noexcept { return status_.has_value() && said_.empty(); }
  /// How it ended, in words, or what it said on standard error; nothing where stop() ended it.
  std::string end_in_words() const;

  /// Tells it when to start, in seconds since 1970.
  void start_at(double seconds) const;
  /// Asks it to end; its result is what it has, and there is none where it has hardly started.
  void stop();

 private:
  Child() = default;
  static std::optional<std::string> first_line(std::string& text);

  pid_t pid_ = -1;
  Fd start_;  // Both ways.
  Fd out_, err_;
  std::string said_, complained_, told_;
  bool stopping_ = false;
  std::optional<int> status_;
};

}  // namespace wiremark::tools
