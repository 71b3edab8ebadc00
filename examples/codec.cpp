// A codec of your own in codecbench's harness, beside two of wiremark's:
// c++ -std=c++23 codec.cpp $(pkg-config --cflags --libs wiremark) -o codec
#include <cstdio>

#include "bench/codecs.h"
#include "wire/codecs.h"

using namespace wiremark;

struct Plain {  // Both numbers as a little-endian machine has them, and the text behind them.
  static constexpr std::string_view kName = "plain";
  explicit Plain(const wire::Limits&) {}
  std::size_t max_size(const wire::Message& message) { return 8 + message.content.size(); }
  std::size_t encode(const wire::Message& message, MutableBytes to) {
    store_le(to.data(), static_cast<std::uint32_t>(message.head));
    store_le(to.data() + 4, static_cast<std::uint32_t>(message.guid));
    std::ranges::copy(as_bytes(message.content), to.data() + 8);
    return max_size(message);
  }
  wire::DecodeError decode(Bytes from, wire::Message& message) {
    if (from.size() < 8) return {wire::DecodeErrorKind::truncated, from.size()};
    message = {static_cast<std::int32_t>(load_le<std::uint32_t>(from.data())),
               static_cast<std::int32_t>(load_le<std::uint32_t>(from.data() + 4)),
               as_text(from.subspan(8))};
    return {};
  }
};

int main() {
  const auto told = bench::time_codecs<Plain, wire::JsonCodec, wire::ProtobufCodec>();
  std::puts(told ? told->c_str() : told.error().message().c_str());
  return told ? 0 : 1;
}
