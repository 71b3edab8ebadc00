// The calls that a user of simdjson makes, for one set of instructions; compiled once for each.
#include "codecbench/rivals/simdjson_calls.h"

#include <simdjson.h>

#include <new>
#include <utility>

namespace wiremark::tools {
namespace {

using namespace wire;

namespace ondemand = simdjson::ondemand;

/// Whether `number` fits `T`; then it is in `into`.
template <class T, class Number, class Into>
bool narrow(Number number, Into& into) {
  into = static_cast<T>(number);
  return std::in_range<T>(number);
}

/// Reads a value of either interface, whose getters have the same names.
template <class Source>
bool read(Source value, ValueType type, Value& into) {
  std::string_view text;
  std::int64_t number = 0;
  std::uint64_t natural = 0;
  double real = 0;
  switch (type) {
    case ValueType::text:
      if (value.get_string().get(text)) return false;
      into = text;
      return true;
    case ValueType::int32:
      return !value.get_int64().get(number) && narrow<std::int32_t>(number, into);
    case ValueType::uint32:
      return !value.get_int64().get(number) && narrow<std::uint32_t>(number, into);
    case ValueType::int64:
      return !value.get_int64().get(number) && narrow<std::int64_t>(number, into);
    case ValueType::uint64:
      return !value.get_uint64().get(natural) && narrow<std::uint64_t>(natural, into);
    case ValueType::float32:
      if (value.get_double().get(real)) return false;
      into = static_cast<float>(real);
      return true;
    case ValueType::float64:
      if (value.get_double().get(real)) return false;
      into = real;
      return true;
  }
  return false;
}

class Calls final : public SimdjsonCalls {
 public:
  explicit Calls(const Limits& limits) {
    if (parser_.allocate(limits.frame_size) != simdjson::SUCCESS ||
        dom_.allocate(limits.frame_size) != simdjson::SUCCESS) {
      throw std::bad_alloc();
    }
  }

  bool decode(Bytes from, Message& into) noexcept override {
    ondemand::document document;
    ondemand::object object;
    std::int64_t head = 0;
    std::int64_t guid = 0;
    return start(from, document) && !document.get_object().get(object) &&
           !object.find_field("head").get_int64().get(head) &&
           !object.find_field("guid").get_int64().get(guid) &&
           !object.find_field("content").get_string().get(into.content) &&
           narrow<std::int32_t>(head, into.head) && narrow<std::int32_t>(guid, into.guid);
  }

  bool find(Bytes packet, std::string_view key, ValueType type, Value& into) noexcept override {
    ondemand::document document;
    ondemand::object object;
    ondemand::value value;
    return start(packet, document) && !document.get_object().get(object) &&
           !object.find_field(key).get(value) && read(value, type, into);
  }

  bool parse(Bytes packet, std::string_view key, ValueType type, Value& into) noexcept override {
    simdjson::dom::element document;
    simdjson::dom::element value;
    return !dom_.parse(as_text(packet).data(), packet.size(), false).get(document) &&
           !document.at_key(key).get(value) && read(value, type, into);
  }

 private:
  bool start(Bytes from, ondemand::document& document) noexcept {
    return !parser_
                .iterate(as_text(from).data(), from.size(),
                         from.size() + simdjson::SIMDJSON_PADDING)
                .get(document);
  }

  ondemand::parser parser_;
  simdjson::dom::parser dom_;
};

}  // namespace

std::unique_ptr<SimdjsonCalls> WIREMARK_SIMDJSON_CALLS(const Limits& limits);
std::unique_ptr<SimdjsonCalls> WIREMARK_SIMDJSON_CALLS(const Limits& limits) {
  return std::make_unique<Calls>(limits);
}

}  // namespace wiremark::tools
