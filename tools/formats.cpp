// The formats of messages as users name them, and what is said of bytes that are not in one.
#include "formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "base/units.h"
#include "wire/codecs.h"
#include "wire/frame.h"

namespace wiremark::tools {

namespace {

constexpr std::size_t kShown = 16;

template <wire::Codec C>
bool starts_as(C& codec, Bytes stream) {
  wire::Frame frame;
  wire::Message message;
  if (wire::next_frame(wire::kFramingOf<C>, stream, wire::Limits(), frame)) return false;
  return !codec.decode(frame.packet, message);
}

// What `stream` may have been meant as; empty where nothing fits.
std::string looks_like(Bytes stream) {
  // The bytes format comes last: whatever is long enough is one of its frames.
  for (const std::string_view name : wire::Codecs::kNames | std::views::reverse) {
    const auto fits = wire::with_codec(name, wire::Limits(),
                                       [&](auto& codec) { return starts_as(codec, stream); });
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

std::vector<std::string> format_names() {
  std::vector<std::string> names{std::string(kRaw)};
  names.insert(names.end(), wire::Codecs::kNames.begin(), wire::Codecs::kNames.end());
  return names;
}

Result<std::string> parse_format(const std::string& text, const std::vector<std::string>& names) {
  if (std::ranges::find(names, text) != names.end()) return text;
  return failed("'" + text + "' is not " + in_words(names), {}, 0);
}

Result<std::size_t> parse_max_frame(const std::string& text) {
  const auto size = parse_size(text);
  if (!size) return std::unexpected(size.error());
  if (*size < 64 || *size > 16 << 20)
    return failed("'" + text + "' is not a size from 64 to 16M", {}, 0);
  return static_cast<std::size_t>(*size);
}

std::string in_words(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

std::string name_of(std::string_view format, wire::DecodeErrorKind kind) {
  return fmt::format("{}: {}", format, wire::to_string(kind));
}

std::string describe(std::string_view format, const wire::DecodeError& error, Bytes stream) {
  std::string text = fmt::format("{} at byte {}; expected a {} frame, got",
                                 name_of(format, error.kind), error.offset, format);
  for (const std::byte byte : stream.first(std::min(stream.size(), kShown)))
    text += fmt::format(" {:02x}", std::to_integer<unsigned>(byte));
  if (stream.size() > kShown) text += " ...";
  const std::string guess = looks_like(stream);
  if (!guess.empty() && guess != format) text += " (looks like " + guess + ")";
  return text;
}

}  // namespace wiremark::tools
