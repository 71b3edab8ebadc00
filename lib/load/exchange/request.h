// A request as users write it: a text with escapes, and with fields that differ from message to
// message.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/digest.h"
#include "base/result.h"
#include "load/exchange/exchange.h"

namespace wiremark::load {

/// Fields keep their width, so a request has one size.
class Request {
 public:
  static constexpr std::size_t kIdWidth = 2;

  /// Bytes as they are.
  void add_bytes(std::string_view bytes) { text_ += bytes; }
  /// A text with the escapes of C and with %{n}, %{conn}, %{random:N} and %{id}. Errors: an escape
  /// or a field that is none.
  Result<> add_text(std::string_view text);
  void add(const Request& other);
  /// The same, with %XX in place of each byte that no URL has within its path and query (RFC 3986).
  void add_to_url(const Request& other);

  std::string_view text() const noexcept { return text_; }
  std::size_t size() const noexcept { return text_.size(); }
  bool has_fields() const noexcept { return !fields_.empty(); }
  /// Adds all that makes its messages what they are, without `but` where that stands in it first.
  void add_to(Digest& digest, std::string_view but) const;
  /// Where the two bytes of %{id} stand, by which a datagram's reply is known.
  std::optional<std::size_t> id_at() const noexcept;

  /// What a reply has in that place; nothing where it is too short, or where there is no %{id}.
  std::optional<std::uint16_t> id_in(std::string_view reply) const noexcept;

  /// A message: its request, as it was written, and its reply.
  struct Exchanged {
    std::string_view request;
    std::string_view reply;
  };
  /// From where on the replies to two messages differ; npos where they do not. A byte does not
  /// count as different where each reply holds what its own message has in one of the fields: that
  /// byte, in the place that it has in the request, or all of the field, wherever.
  std::size_t difference(const Exchanged& one, const Exchanged& other) const noexcept;

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
  std::size_t end_of_field(std::size_t at, const Exchanged& one,
                           const Exchanged& other) const noexcept;

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
std::string quoted(std::string_view bytes, std::size_t size_max = 60);

}  // namespace wiremark::load
