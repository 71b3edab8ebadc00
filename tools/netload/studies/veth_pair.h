// Two network namespaces of our own, joined by a pair of virtual interfaces.
#pragma once

#include <cstddef>

#include "base/fd.h"
#include "base/result.h"

namespace wiremark::tools {

/// They go with it, and with the process, and nothing outside of them changes.
class VethPair {
 public:
  /// The server's address, in a range that is kept for benchmarks (RFC 2544), and the client's.
  static constexpr const char* kServer = "198.18.0.1";
  static constexpr const char* kClient = "198.18.0.2";
  /// The longest message that is one frame: 1,500 bytes less 20 of IP and 8 of UDP.
  static constexpr std::size_t kMessageMax = 1472;

  /// Errors: no CAP_SYS_ADMIN or CAP_NET_ADMIN, or a kernel without veth; each names the fix.
  static Result<VethPair> make();

  /// This thread is in one of both, and so is what it starts, until the end of its scope.
  class Inside {
   public:
    Inside(const Fd& there, const Fd& back);
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside();

   private:
    const Fd& back_;
  };
  Inside inside_server() const { return {server_, own_}; }
  Inside inside_client() const { return {client_, own_}; }

 private:
  VethPair() = default;

  Fd own_;
  Fd server_;
  Fd client_;
};

}  // namespace wiremark::tools
