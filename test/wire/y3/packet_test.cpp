// Y3 packets against the vectors of the Go implementations, and against what those let through.
#include "wire/y3/packet.h"

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "wire/vectors.h"

using namespace wiremark;
using namespace wiremark::wire;
using namespace wiremark::wire::test;
using y3::Dialect;

namespace {

nlohmann::json y3_vectors() { return read_json("y3_vectors.json").at("vectors"); }

std::string kind_of(DecodeErrorKind kind) { return "error: " + std::string(to_string(kind)); }

template <class T>
std::string text_of(T value) {
  std::array<char, 64> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

std::string text_of(bool value) { return value ? "true" : "false"; }

template <class F>
std::string float_text(F value) {
  if (std::isnan(value)) return "NaN";
  return std::isinf(value) && value > 0 ? "+Inf" : text_of(value);
}

// What a primitive's bytes are as a value of `type`, written as the vectors write it.
template <Dialect D>
std::string read_value(const std::string& type, Bytes value) {
  const auto read = [&](auto into, auto get, auto show) {
    const DecodeErrorKind error = get(value, into);
    return error == DecodeErrorKind::none ? show(into) : kind_of(error);
  };
  const auto show = [](auto number) { return text_of(number); };
  const auto show_float = [](auto number) { return float_text(number); };
  if (type == "int32") return read(std::int32_t{}, y3::get_int<D, std::int32_t>, show);
  if (type == "uint32") return read(std::uint32_t{}, y3::get_int<D, std::uint32_t>, show);
  if (type == "int64") return read(std::int64_t{}, y3::get_int<D, std::int64_t>, show);
  if (type == "uint64") return read(std::uint64_t{}, y3::get_int<D, std::uint64_t>, show);
  if (type == "float32") return read(float{}, y3::get_float<float>, show_float);
  if (type == "float64") return read(double{}, y3::get_float<double>, show_float);
  if (type == "bool") return read(bool{}, y3::get_bool, show);
  return to_hex(value);
}

// The number of a vector, which stands as a number or, from 64 bits, as text.
template <class T>
T number_in(const nlohmann::json& value) {
  if (value.is_number()) return value.get<T>();
  const auto text = value.get<std::string>();
  T number{};
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

template <class F>
F float_in(const nlohmann::json& value) {
  const auto bits = std::stoull(value.at("bits").get<std::string>(), nullptr, 16);
  return std::bit_cast<F>(static_cast<y3::FloatBits<F>>(bits));
}

template <Dialect D>
void write_value(y3::Writer& writer, unsigned id, const std::string& type,
                 const nlohmann::json& value) {
  if (type == "int32") return writer.integer<D>(id, number_in<std::int32_t>(value));
  if (type == "uint32") return writer.integer<D>(id, number_in<std::uint32_t>(value));
  if (type == "int64") return writer.integer<D>(id, number_in<std::int64_t>(value));
  if (type == "uint64") return writer.integer<D>(id, number_in<std::uint64_t>(value));
  if (type == "float32") return writer.real(id, float_in<float>(value));
  if (type == "float64") return writer.real(id, float_in<double>(value));
  if (type == "bool") return writer.boolean(id, value.get<bool>());
  if (type == "string" && value.is_object()) {
    return writer.text(id, std::string(value.at("count").get<std::size_t>(), 'x'));
  }
  REQUIRE(type == "string");
  writer.text(id, value.get<std::string>());
}

bool has(const nlohmann::json& vector, std::string_view dialect) {
  return vector.at("dialect").get<std::string>().find(dialect) != std::string::npos;
}

// One primitive both ways. What a Go implementation of this dialect read from the same bytes must
// be what we read, wherever we take them.
template <Dialect D>
void check_primitive(const nlohmann::json& vector) {
  const auto type = vector.at("type").get<std::string>();
  auto bytes = from_hex(vector.at("hex").get<std::string>());
  if (vector.at("kind") == "length") bytes.resize(vector.at("bytes"), std::byte{'x'});
  CHECK(bytes.size() == vector.at("bytes").get<std::size_t>());
  if (has(vector, D == Dialect::draft01 ? "draft01" : "y3")) {
    std::vector<std::byte> written(bytes.size());
    y3::Writer writer(written);
    write_value<D>(writer, vector.at("seq_id"), type, vector.at("value"));
    CHECK(writer.size() == bytes.size());
    CHECK(written == bytes);
  }
  y3::Packet packet;
  REQUIRE_FALSE(y3::check_whole(bytes, {.frame_size = 1 << 21}));
  REQUIRE_FALSE(y3::Reader(bytes).next(packet));
  CHECK(packet.tag == y3::primitive_tag(vector.at("seq_id")));
  const std::string ours = read_value<D>(type, packet.value);
  if (!vector.contains("decode")) return;
  for (const auto& [who, reading] : vector.at("decode").items()) {
    const std::string theirs = reading;
    const bool same_dialect = who.starts_with("y3@") == (D == Dialect::y3);
    if (!same_dialect || theirs.starts_with("ok ") || theirs.starts_with("n/a")) {
      continue;
    }
    const bool own = has(vector, D == Dialect::draft01 ? "draft01" : "y3");
    CAPTURE(who);
    if (own || !ours.starts_with("error")) CHECK(ours == theirs);
  }
}

// The tree below a node, as the vectors write it: "node seq=4 slice=false[prim 1=7f;]". The Go
// implementation lists the primitives of a node before its nodes.
std::string render(Bytes packets, const y3::Packet& node) {
  std::string text = "node seq=" + std::to_string(node.tag.id()) +
                     " slice=" + (node.tag.is_slice() ? "true" : "false") + "[";
  std::string nodes;
  y3::Reader children = y3::Reader::children(packets, node);
  while (!children.done()) {
    y3::Packet child;
    REQUIRE_FALSE(children.next(child));
    if (child.tag.is_node()) {
      nodes += render(packets, child) + ";";
    } else {
      text += "prim " + std::to_string(child.tag.id()) + "=" + to_hex(child.value) + ";";
    }
  }
  return text + nodes + "]";
}

void copy_tree(Bytes packets, y3::Reader from, y3::Writer& to) {
  while (!from.done()) {
    y3::Packet packet;
    REQUIRE_FALSE(from.next(packet));
    if (!packet.tag.is_node()) {
      to.bytes(packet.tag.id(), packet.value);
      continue;
    }
    const std::size_t opened = to.open(packet.tag);
    copy_tree(packets, y3::Reader::children(packets, packet), to);
    to.close(opened);
  }
}

std::vector<std::byte> nested(std::size_t depth) {
  std::vector<std::byte> bytes(8 * depth + 2);
  y3::Writer writer(bytes);
  std::vector<std::size_t> opened;
  for (std::size_t i = 0; i < depth; ++i) opened.push_back(writer.open(y3::node_tag(1)));
  writer.bytes(1, {});
  for (; !opened.empty(); opened.pop_back()) writer.close(opened.back());
  bytes.resize(writer.size());
  return bytes;
}

}  // namespace

TEST_CASE("every primitive of the vectors is written and read in its dialect") {
  std::size_t count = 0;
  for (const auto& vector : y3_vectors()) {
    if (vector.at("kind") != "primitive" && vector.at("kind") != "length") continue;
    CAPTURE(vector.at("name").get<std::string>());
    check_primitive<Dialect::draft01>(vector);
    check_primitive<Dialect::y3>(vector);
    ++count;
  }
  CHECK(count == 91);
}

TEST_CASE("every node and slice of the vectors is read as Go reads it and written back") {
  std::size_t count = 0;
  for (const auto& vector : y3_vectors()) {
    const auto kind = vector.at("kind").get<std::string>();
    if (kind != "node" && kind != "slice" && kind != "sequence" && kind != "stress") continue;
    CAPTURE(vector.at("name").get<std::string>());
    const auto bytes = from_hex(vector.at("hex").get<std::string>());
    CHECK(bytes.size() == vector.at("bytes").get<std::size_t>());
    CHECK_FALSE(y3::check(bytes, {}));
    std::vector<std::byte> written(bytes.size());
    y3::Writer writer(written);
    copy_tree(bytes, y3::Reader(bytes), writer);
    CHECK(writer.size() == bytes.size());
    CHECK(written == bytes);
    if (vector.at("decode").contains("y3-codec-golang@1.7.3")) {
      y3::Packet root;
      REQUIRE_FALSE(y3::Reader(bytes).next(root));
      CHECK("ok end=" + std::to_string(bytes.size()) + " " + render(bytes, root) ==
            vector.at("decode").at("y3-codec-golang@1.7.3").get<std::string>());
    }
    ++count;
  }
  CHECK(count == 15);
}

TEST_CASE("a struct is written as the Go marshaller writes it") {
  std::array<std::byte, 29> bytes;
  y3::Writer writer(bytes);
  const auto root = writer.open(y3::node_tag(1));
  const auto observed = writer.open(y3::node_tag(32));
  writer.text(16, "yomo");
  writer.integer<Dialect::draft01>(17, -2);
  const auto slice = writer.open(y3::slice_tag(18));
  writer.integer<Dialect::draft01>(0, std::uint32_t{7});
  writer.integer<Dialect::draft01>(0, std::uint32_t{300});
  writer.close(slice);
  writer.real(19, 0.25F);
  writer.boolean(20, true);
  writer.close(observed);
  writer.close(root);
  CHECK(writer.size() == 29);
  CHECK(to_hex(bytes) == "811ba0191004796f6d6f11017ed2070001070002822c13023e80140101");
}

TEST_CASE("slices are written from their elements") {
  for (const auto& vector : y3_vectors()) {
    if (vector.at("kind") != "slice") continue;
    CAPTURE(vector.at("name").get<std::string>());
    const auto bytes = from_hex(vector.at("hex").get<std::string>());
    std::vector<std::byte> written(bytes.size());
    y3::Writer writer(written);
    const auto opened = writer.open(y3::slice_tag(vector.at("seq_id")));
    for (const auto& element : vector.at("value")) {
      if (vector.at("type") == "[]string") writer.text(0, element.get<std::string>());
      if (vector.at("type") == "[]float64") writer.real(0, std::stod(element.get<std::string>()));
    }
    writer.close(opened);
    CHECK(writer.size() == bytes.size());
    CHECK(written == bytes);
  }
}

TEST_CASE("broken packets of the vectors are refused where Go panics or reads on") {
  const std::map<std::string, DecodeErrorKind> expected = {
      {"empty input", DecodeErrorKind::truncated},
      {"tag only", DecodeErrorKind::truncated},
      {"node tag only", DecodeErrorKind::truncated},
      {"node value truncated", DecodeErrorKind::truncated},
      {"child runs past node", DecodeErrorKind::truncated},
      {"negative node length -1", DecodeErrorKind::negative_length},
      {"length 127 in one byte (LEB style)", DecodeErrorKind::negative_length},
      {"length 64 in one byte", DecodeErrorKind::negative_length},
      {"non-minimal length", DecodeErrorKind::none},
      {"length int32 max", DecodeErrorKind::truncated},
      {"length int32 min", DecodeErrorKind::negative_length},
      {"trailing byte after packet", DecodeErrorKind::trailing_data},
      {"primitive tag decoded as node", DecodeErrorKind::none},
      {"zero-length primitive", DecodeErrorKind::none},
      {"node with zero-length child", DecodeErrorKind::none},
      {"nested 1000 deep", DecodeErrorKind::depth_exceeded},
  };
  std::size_t count = 0;
  for (const auto& vector : y3_vectors()) {
    if (vector.at("kind") != "invalid") continue;
    const auto name = vector.at("name").get<std::string>();
    CAPTURE(name);
    const auto bytes =
        name == "nested 1000 deep" ? nested(1000) : from_hex(vector.at("hex").get<std::string>());
    CHECK(bytes.size() == vector.at("bytes").get<std::size_t>());
    const DecodeError error = y3::check_whole(bytes, {});
    CHECK(to_string(error.kind) == to_string(expected.at(name)));
    ++count;
  }
  CHECK(count == expected.size());
}

TEST_CASE("odd values of the vectors are read or refused in both dialects") {
  const std::map<std::string, std::array<std::string, 2>> expected = {
      {"value uint64 body=", {"error: malformed_varint", "error: malformed_varint"}},
      {"value bool body=", {"error: malformed_varint", "error: malformed_varint"}},
      {"value int32 body=80", {"error: malformed_varint", "-128"}},
      {"value int32 body=8080808080808001", {"error: malformed_varint", "error: malformed_varint"}},
      {"value int32 body=0102", {"error: malformed_varint", "258"}},
      {"value int64 body=ffffffffffffffffffff7f",
       {"error: malformed_varint", "error: malformed_varint"}},
      {"value uint32 body=7f", {"4294967295", "127"}},
      {"value float32 body=3e80000000", {"error: number_format", "error: number_format"}},
      {"value float64 body=403700000000000000", {"error: number_format", "error: number_format"}},
      {"value float32 body=3e800000", {"0.25", "0.25"}},
      {"value bool body=02", {"error: number_out_of_range", "error: number_out_of_range"}},
      {"value bool body=8001", {"true", "true"}},
      {"value string body=fffe", {"fffe", "fffe"}},
  };
  std::size_t count = 0;
  for (const auto& vector : y3_vectors()) {
    if (vector.at("kind") != "value") continue;
    const auto name = vector.at("name").get<std::string>();
    CAPTURE(name);
    const auto bytes = from_hex(vector.at("hex").get<std::string>());
    y3::Packet packet;
    REQUIRE_FALSE(y3::check_whole(bytes, {}));
    REQUIRE_FALSE(y3::Reader(bytes).next(packet));
    const auto type = vector.at("type").get<std::string>();
    CHECK(read_value<Dialect::draft01>(type, packet.value) == expected.at(name)[0]);
    CHECK(read_value<Dialect::y3>(type, packet.value) == expected.at(name)[1]);
    ++count;
  }
  CHECK(count == expected.size());
}

TEST_CASE("the depth limit holds at its edge, without recursion") {
  CHECK_FALSE(y3::check(nested(32), {}));
  CHECK(y3::check(nested(33), {}).kind == DecodeErrorKind::depth_exceeded);
  CHECK(y3::check(nested(3), {.depth = 2}).kind == DecodeErrorKind::depth_exceeded);
  CHECK_FALSE(y3::check(nested(y3::kDepthMax), {.depth = 1000}));
  CHECK(y3::check(nested(y3::kDepthMax + 1), {.depth = 1000}).kind ==
        DecodeErrorKind::depth_exceeded);
  CHECK(y3::check(nested(100'000), {}).kind == DecodeErrorKind::depth_exceeded);
}

TEST_CASE("tags that no writer makes are refused") {
  CHECK(y3::check(from_hex("4100"), {}) == DecodeError{DecodeErrorKind::invalid_tag, 0});
  CHECK(y3::check(from_hex("c1030001610501"), {}).kind == DecodeErrorKind::truncated);
  CHECK(y3::check(from_hex("c103010161"), {}) == DecodeError{DecodeErrorKind::invalid_tag, 2});
  CHECK_FALSE(y3::check(from_hex("c1058003010161"), {}));
}

TEST_CASE("a stream says how long its first packet is, or that it needs more") {
  const auto bytes = from_hex("8140");
  std::size_t size = 0;
  CHECK(y3::packet_size({}, {}, size).kind == DecodeErrorKind::need_more_data);
  CHECK(y3::packet_size(from_hex("81"), {}, size).kind == DecodeErrorKind::need_more_data);
  CHECK(y3::packet_size(from_hex("8180"), {}, size).kind == DecodeErrorKind::need_more_data);
  CHECK(y3::packet_size(from_hex("8103010161"), {}, size).kind == DecodeErrorKind::none);
  CHECK(size == 5);
  CHECK(y3::packet_size(from_hex("81030101610000"), {}, size).kind == DecodeErrorKind::none);
  CHECK(size == 5);
  CHECK(y3::packet_size(from_hex("8140"), {}, size).kind == DecodeErrorKind::negative_length);
  CHECK(y3::packet_size(from_hex("8180c0808000"), {}, size).kind == DecodeErrorKind::too_large);
}

TEST_CASE("a writer leaves its span alone when something does not fit") {
  std::vector<std::byte> whole(200);
  const auto write = [](MutableBytes to) {
    y3::Writer writer(to);
    const auto opened = writer.open(y3::node_tag(1));
    writer.integer<Dialect::y3>(1, std::int64_t{-65536});
    writer.text(2, std::string(64, 'a'));
    writer.close(opened);
    return writer.size();
  };
  const std::size_t size = write(whole);
  CHECK(size == 3 + 5 + 3 + 64);
  for (std::size_t room = 0; room <= size; ++room) {
    std::vector<std::byte> exact(room);
    CHECK(write(exact) == (room == size ? size : 0));
  }
}
