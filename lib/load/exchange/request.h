// A request as users write it: a text with escapes, and with fields that differ from message to
// message.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "load/exchange/exchange.h"

namespace wiremark::load {

/// Fields keep their width, so a request has one size.
class Request {
 public:
  /// Bytes as they are.
  void add_bytes(std::string_view bytes) { text_ += bytes; }
  /// A text with the escapes of C and with %{n}, %{conn}, %{random:N} and %{id}. Errors: an escape
  /// or a field that is none.
  Result<> add_text(std::string_view text);
  void add(const Request& other);

  std::string_view text() const noexcept { return text_; }
  std::size_t size() const noexcept { return text_.size(); }
  bool has_fields() const noexcept { return !fields_.empty(); }
  /// Where the two bytes of %{id} stand, by which a datagram's reply is known.
  std::optional<std::size_t> id_at() const noexcept;

  /// Writes the request of a message to `to`, which has room for size() bytes.
  void write(MessageId message, std::uint64_t seed, std::byte* to) const noexcept;

 private:
  enum class What : std::uint8_t { sequence, connection, random, id };
  struct Field {
    What what;
    std::size_t at;
    std::size_t width;
  };

  Result<std::size_t> add_field(std::string_view rest);

  std::string text_;
  std::vector<Field> fields_;
};

/// Whether each of them has an %{id}, by which datagrams are told apart.
bool has_ids(const std::vector<Request>& requests) noexcept;

/// The bytes of a text with the escapes of C.
Result<std::string> unescaped(std::string_view text);

/// What `text` says, or the bytes of the file that it names: "@FILE".
Result<std::string> text_or_file(const std::string& text);

/// The lines of "@FILE", or of FILE.
Result<std::vector<std::string>> lines_of(const std::string& file);

/// The first bytes of `bytes` in quotes, with escapes for what cannot be printed.
std::string printable(std::string_view bytes, std::size_t size_max = 60);

}  // namespace wiremark::load
