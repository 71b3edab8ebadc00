// The forms of --reply: how a reply is told from the next one.
#include "load/exchange/forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/units.h"

namespace wiremark::load {

namespace {

constexpr std::string_view kGeneralForms =
    "echo, size:N, until:TEXT, line, u8, u16, u32 or u64 with le or be, @OFFSET and +N or -N "
    "behind, varint with +N or -N behind";

// Takes a whole number off the front of `text`.
template <class T>
std::optional<T> take_number(std::string_view& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

// "+N" or "-N" as the rest of `text`, or nothing.
std::optional<std::int64_t> read_adjustment(std::string_view text) {
  if (text.empty()) return 0;
  if (text.front() != '+' && text.front() != '-') return std::nullopt;
  const bool minus = text.front() == '-';
  text.remove_prefix(1);
  const auto size = take_number<std::uint32_t>(text);
  if (!size || !text.empty()) return std::nullopt;
  return minus ? -std::int64_t{*size} : std::int64_t{*size};
}

std::optional<wire::PrefixForm> read_prefix(std::string_view text) {
  wire::PrefixForm form;
  if (text.empty() || text.front() != 'u') return std::nullopt;
  text.remove_prefix(1);
  const auto bits = take_number<unsigned>(text);
  if (!bits || (*bits != 8 && *bits != 16 && *bits != 32 && *bits != 64)) return std::nullopt;
  form.width = *bits / 8;
  if (text.starts_with("le") || text.starts_with("be")) {
    form.big = text.starts_with("be");
    text.remove_prefix(2);
  }
  if (text.starts_with('@')) {
    text.remove_prefix(1);
    const auto offset = take_number<std::uint16_t>(text);
    if (!offset) return std::nullopt;
    form.offset = *offset;
  }
  const auto adjust = read_adjustment(text);
  if (!adjust) return std::nullopt;
  form.adjust = *adjust;
  return form;
}

template <class... Known>
std::optional<Form> protocol_of(std::string_view name, std::tuple<Known...>*) {
  std::optional<Form> form;
  ((name == Known::kScheme.reply ? void(form = Known()) : void()), ...);
  return form;
}

template <class... Known>
constexpr std::array<const Scheme*, sizeof...(Known)> schemes_of(std::tuple<Known...>*) noexcept {
  return {&Known::kScheme...};
}

constexpr auto kSchemes = schemes_of(static_cast<Protocols*>(nullptr));

// That text of each scheme, and `behind` after it.
std::string listed(std::string_view Scheme::* what, std::string_view behind = {}) {
  std::string text;
  for (const Scheme* scheme : kSchemes)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", scheme->*what, behind);
  return text;
}

}  // namespace

Result<Form> parse_form(const std::string& text) {
  if (const auto known = protocol_of(text, static_cast<Protocols*>(nullptr))) return *known;
  if (text == "echo") return Plain<wire::EchoFramer>{};
  if (text == "none") return Plain<wire::NoFramer>{};
  if (text == Dns::kReply) return Dns{};
  if (text == kDatagram) return Plain<wire::DatagramFramer>{};
  if (text == "line") return Plain{wire::UntilFramer("\n")};
  if (text.starts_with("until:")) {
    const auto end = unescaped(text.substr(6));
    if (!end) return std::unexpected(end.error());
    if (!end->empty()) return Plain{wire::UntilFramer(*end)};
  } else if (text.starts_with("size:")) {
    const auto size = parse_size(text.substr(5));
    if (size && *size > 0) return Plain{wire::SizeFramer(*size)};
  } else if (text.starts_with("varint")) {
    if (const auto adjust = read_adjustment(std::string_view(text).substr(6)))
      return Plain{wire::VarintFramer(*adjust)};
  } else if (const auto prefix = read_prefix(text)) {
    return Plain{wire::PrefixFramer(*prefix)};
  }
  return failed(fmt::format("'{}' does not say where a reply ends: there are {}, {}, dns, "
                            "datagram or none",
                            text, kGeneralForms, known_replies()),
                {}, 0);
}

const Scheme* scheme_of(std::string_view name) noexcept {
  const auto found = std::ranges::find(kSchemes, name, &Scheme::name);
  return found == kSchemes.end() ? nullptr : *found;
}

std::string known_schemes() { return listed(&Scheme::name, "://"); }

std::string known_replies() { return listed(&Scheme::reply); }

}  // namespace wiremark::load
