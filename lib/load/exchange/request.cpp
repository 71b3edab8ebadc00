// A request as users write it: a text with escapes, and with fields that differ from message to
// message.
#include "load/exchange/request.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <iterator>

#include "base/mix.h"
#include "base/printable.h"

namespace wiremark::load {

namespace {

// Any 32-bit number has its place.
constexpr std::size_t kNumberWidth = 10;
constexpr std::size_t kRandomMax = 1 << 20;

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// One escape, `text` being what stands behind its backslash; appends its byte, and returns how
// many characters it took.
Result<std::size_t> read_escape(std::string_view text, std::string& to) {
  constexpr std::string_view kNames = "abefnrtv\\'\"?";
  constexpr std::string_view kBytes = "\a\b\x1b\f\n\r\t\v\\'\"?";
  const char name = text.empty() ? '\0' : text.front();
  if (const std::size_t known = kNames.find(name); !text.empty() && known != kNames.npos) {
    to += kBytes[known];
    return 1;
  }
  int value = 0;
  std::size_t size = 0;
  if (name == 'x') {
    for (size = 1; size < 3 && size < text.size() && hex_digit(text[size]) >= 0; ++size)
      value = value * 16 + hex_digit(text[size]);
    if (size == 1) size = 0;
  } else {
    for (; size < 3 && size < text.size() && text[size] >= '0' && text[size] <= '7'; ++size)
      value = value * 8 + (text[size] - '0');
  }
  if (size == 0 || value > 255) {
    return failed(
        fmt::format("'\\{}' is no escape: there are \\r, \\n, \\t, \\0, \\xHH, \\\\ and the "
                    "others of C",
                    text.substr(0, 1)),
        {}, 0);
  }
  to += static_cast<char>(value);
  return size;
}

bool is_of_url(char c) noexcept {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("-._~:/?[]@!$&'()*+,;=%").contains(c);
}

void write_number(std::uint32_t number, std::byte* to, std::size_t width) noexcept {
  for (std::size_t i = width; i-- > 0; number /= 10)
    to[i] = static_cast<std::byte>('0' + number % 10);
}

void write_random(std::uint64_t seed, std::byte* to, std::size_t width) noexcept {
  constexpr char kLetters[] = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
  for (std::size_t i = 0; i < width; ++i) {
    if (i % 10 == 0) seed = mix(seed);  // Ten times six bits.
    to[i] = static_cast<std::byte>(kLetters[seed >> i % 10 * 6 & 63]);
  }
}

}  // namespace

Result<> Request::add_text(std::string_view text) {
  while (!text.empty()) {
    std::size_t size = 1;
    if (text.front() == '\\') {
      const auto escape = read_escape(text.substr(1), text_);
      if (!escape) return std::unexpected(escape.error());
      size += *escape;
    } else if (text.starts_with("%{")) {
      const auto field = add_field(text);
      if (!field) return std::unexpected(field.error());
      size = *field;
    } else {
      text_ += text.front();
    }
    text.remove_prefix(size);
  }
  return {};
}

// The field that `rest` begins with; returns how many characters it took.
Result<std::size_t> Request::add_field(std::string_view rest) {
  const std::size_t end = rest.find('}');
  const std::string_view name = end == rest.npos ? rest : rest.substr(2, end - 2);
  std::size_t width = kNumberWidth;
  What what = What::sequence;
  if (name == "conn") {
    what = What::connection;
  } else if (name == "id") {
    what = What::id;
    width = kIdWidth;
  } else if (name.starts_with("random:")) {
    what = What::random;
    const auto [read, error] = std::from_chars(name.data() + 7, name.data() + name.size(), width);
    if (error != std::errc{} || read != name.data() + name.size() || width > kRandomMax) width = 0;
  } else if (name != "n") {
    width = 0;
  }
  if (width == 0 || end == rest.npos) {
    return failed(fmt::format("'{}' is no field: there are %{{n}}, %{{conn}}, %{{random:N}} and "
                              "%{{id}}; \\x25{{ is an ordinary %{{",
                              rest.substr(0, end == rest.npos ? 20 : end + 1)),
                  {}, 0);
  }
  fields_.push_back({what, text_.size(), width});
  text_.append(width, '0');
  return end + 1;
}

void Request::add_to_url(const Request& other) {
  auto field = other.fields_.begin();
  for (std::size_t at = 0; at < other.size(); ++at) {
    if (field != other.fields_.end() && field->at == at) {
      fields_.push_back({field->what, text_.size(), field->width});
      ++field;
    }
    const char byte = other.text_[at];
    text_ += is_of_url(byte) ? std::string(1, byte)
                             : fmt::format("%{:02X}", static_cast<unsigned char>(byte));
  }
}

void Request::add(const Request& other) {
  for (Field field : other.fields_) {
    field.at += text_.size();
    fields_.push_back(field);
  }
  text_ += other.text_;
}

void Request::add_to(Digest& digest, std::string_view but) const {
  const std::size_t from = but.empty() ? std::string::npos : text_.find(but);
  std::string text = text_;
  if (from != std::string::npos) text.erase(from, but.size());
  digest.add(text);
  for (const Field& field : fields_) {
    const std::size_t at = field.at > from ? field.at - but.size() : field.at;
    digest.add(fmt::format("{} {} {}", static_cast<int>(field.what), at, field.width));
  }
}

std::optional<std::size_t> Request::id_at() const noexcept {
  const auto found = std::ranges::find(fields_, What::id, &Field::what);
  if (found == fields_.end()) return std::nullopt;
  return found->at;
}

std::optional<std::uint16_t> Request::id_in(std::string_view reply) const noexcept {
  const auto at = id_at();
  if (!at || reply.size() < *at + kIdWidth) return std::nullopt;
  return std::byteswap(load_le<std::uint16_t>(as_bytes(reply).data() + *at));
}

std::size_t Request::difference(const Exchanged& one, const Exchanged& other) const noexcept {
  for (std::size_t at = 0;;) {
    const auto differ = std::ranges::mismatch(one.reply.substr(at), other.reply.substr(at));
    at = static_cast<std::size_t>(differ.in1 - one.reply.begin());
    if (at == one.reply.size() && at == other.reply.size()) return std::string_view::npos;
    const std::size_t end = end_of_field(at, one, other);
    if (end == 0) return at;
    at = end;
  }
}

// Where the part of a field ends that both replies hold at `at`, each of its own; 0 where they hold
// none. One that a server changes in part, as DNS does with what is behind the id, is known by its
// place; any other has to be there as a whole.
std::size_t Request::end_of_field(std::size_t at, const Exchanged& one,
                                  const Exchanged& other) const noexcept {
  const auto both_hold = [&](std::size_t begin, std::size_t from, std::size_t width) {
    const auto hold = [&](const Exchanged& each) {
      return begin + width <= each.reply.size() &&
             each.reply.substr(begin, width) == each.request.substr(from, width);
    };
    return hold(one) && hold(other);
  };
  for (const Field& field : fields_) {
    if (at >= field.at && at < field.at + field.width && both_hold(at, at, 1)) return at + 1;
    for (std::size_t before = 0; before < field.width && before <= at; ++before) {
      if (both_hold(at - before, field.at, field.width)) return at - before + field.width;
    }
  }
  return 0;
}

void Request::write(MessageId message, std::uint64_t seed, std::byte* to) const noexcept {
  std::ranges::copy(as_bytes(text_), to);
  for (const Field& field : fields_) {
    std::byte* const at = to + field.at;
    switch (field.what) {
      case What::sequence:
        write_number(message.sequence, at, field.width);
        break;
      case What::connection:
        write_number(message.connection, at, field.width);
        break;
      case What::random:
        write_random(
            mix(seed + field.at) + (std::uint64_t{message.connection} << 32) + message.sequence, at,
            field.width);
        break;
      case What::id:  // In network order.
        at[0] = static_cast<std::byte>(message.sequence >> 8);
        at[1] = static_cast<std::byte>(message.sequence);
        break;
    }
  }
}

bool has_ids(const std::vector<Request>& requests) noexcept {
  return std::ranges::all_of(requests,
                             [](const Request& request) { return request.id_at().has_value(); });
}

Result<std::string> unescaped(std::string_view text) {
  std::string bytes;
  while (!text.empty()) {
    std::size_t size = 1;
    if (text.front() == '\\') {
      const auto escape = read_escape(text.substr(1), bytes);
      if (!escape) return std::unexpected(escape.error());
      size += *escape;
    } else {
      bytes += text.front();
    }
    text.remove_prefix(size);
  }
  return bytes;
}

namespace {

Result<std::string> bytes_of_file(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) return failed("open", name, errno);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

Result<std::string> text_or_file(const std::string& text) {
  if (text.starts_with('@')) return bytes_of_file(text.substr(1));
  return unescaped(text);
}

Result<std::vector<std::string>> lines_of(const std::string& file) {
  const auto bytes = bytes_of_file(file.starts_with('@') ? file.substr(1) : file);
  if (!bytes) return std::unexpected(bytes.error());
  std::vector<std::string> lines;
  for (std::string_view rest = *bytes; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) lines.emplace_back(line);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (lines.empty()) return failed(file + " has no line", {}, 0);
  return lines;
}

std::string quoted(std::string_view bytes, std::size_t size_max) {
  std::string text = "\"";
  for (const char c : bytes.substr(0, size_max)) {
    if (c == '"' || c == '\\')
      text += {'\\', c};
    else if (is_plain_ascii(c))
      text += c;
    else
      put_escaped(text, c);
  }
  return text + (bytes.size() > size_max ? "\"..." : "\"");
}

}  // namespace wiremark::load
