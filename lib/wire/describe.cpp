// How errors describe bytes that are not a message of a format.
#include "wire/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "wire/codecs.h"
#include "wire/frame.h"

namespace wiremark::wire {

namespace {

constexpr std::size_t kShown = 16;

template <Codec C>
bool starts_as(C& codec, Bytes stream) {
  Frame frame;
  Message message;
  if (next_frame(kFramingOf<C>, stream, Limits(), frame)) return false;
  return !codec.decode(frame.packet, message);
}

// The format that `stream` looks like; empty if none.
std::string looks_like(Bytes stream) {
  // The bytes format is asked last, since almost anything is a valid frame of it.
  for (const std::string_view name : Codecs::kNames | std::views::reverse) {
    const auto fits =
        with_codec(name, Limits(), [&](auto& codec) { return starts_as(codec, stream); });
    if (fits && *fits) return std::string(name);
  }
  const std::string_view text = as_text(stream);
  if (text.starts_with('{')) return "json without the length in front";
  for (const std::string_view method : {"GET ", "POST ", "HEAD ", "PUT ", "PRI * HTTP", "HTTP/"}) {
    if (text.starts_with(method)) return "HTTP";
  }
  return {};
}

}  // namespace

std::string name_of(std::string_view format, DecodeErrorKind kind) {
  return fmt::format("{}: {}", format, to_string(kind));
}

std::string describe(std::string_view format, const DecodeError& error, Bytes stream) {
  std::string text = fmt::format("{} at byte {}; expected a {} frame, got",
                                 name_of(format, error.kind), error.offset, format);
  for (const std::byte byte : stream.first(std::min(stream.size(), kShown)))
    text += fmt::format(" {:02x}", std::to_integer<unsigned>(byte));
  if (stream.size() > kShown) text += " ...";
  const std::string guess = looks_like(stream);
  if (!guess.empty() && guess != format) text += " (looks like " + guess + ")";
  return text;
}

}  // namespace wiremark::wire
