// How often each kind of error came.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace wiremark::load {

/// A server that words each of its error replies anew would fill memory and every report. So kinds
/// that have words of the server are told apart only until there are kServersMax of them; those of
/// the load itself and of the kernel are few.
class ErrorCounts {
 public:
  static constexpr std::size_t kServersMax = 32;

  void add(std::string kind) { ++of_load_[std::move(kind)]; }
  /// A kind in which words of the server stand.
  void add_of_server(std::string kind) { add_of_server(std::move(kind), 1); }

  /// Adds those of another thread.
  void merge(const ErrorCounts& more) {
    for (const auto& [kind, count] : more.of_load_) of_load_[kind] += count;
    for (const auto& [kind, count] : more.of_server_) add_of_server(kind, count);
    others_ += more.others_;
  }

  /// By kind, without others().
  const std::map<std::string, std::uint64_t>& of_load() const noexcept { return of_load_; }
  const std::map<std::string, std::uint64_t>& of_server() const noexcept { return of_server_; }
  /// Of all kinds with words of the server that came when kServersMax were known.
  std::uint64_t others() const noexcept { return others_; }

 private:
  void add_of_server(std::string kind, std::uint64_t count) {
    const auto known = of_server_.find(kind);
    if (known != of_server_.end())
      known->second += count;
    else if (of_server_.size() < kServersMax)
      of_server_.emplace(std::move(kind), count);
    else
      others_ += count;
  }

  std::map<std::string, std::uint64_t> of_load_;
  std::map<std::string, std::uint64_t> of_server_;
  std::uint64_t others_ = 0;
};

}  // namespace wiremark::load
