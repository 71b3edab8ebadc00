// Responses of every make, whole and damaged, against http_parser: both see the same replies.
#include <http_parser.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "cuts.h"
#include "wire/framing/http.h"

using namespace wiremark;
using namespace wiremark::wire;

namespace {

/// What http_parser makes of responses to requests that were HEAD, or not.
struct Oracle {
  std::span<const Asked> asked;
  Reading reading = {};
  Framed reply = {};
  std::size_t began = 0;
  http_parser parser = {};
};

Reading read_by_oracle(std::string_view text, std::span<const Asked> asked) {
  Oracle oracle{.asked = asked};
  http_parser_init(&oracle.parser, HTTP_RESPONSE);
  oracle.parser.data = &oracle;
  http_parser_settings settings{};
  http_parser_settings_init(&settings);
  settings.on_headers_complete = [](http_parser* parser) {
    const auto& self = *static_cast<Oracle*>(parser->data);
    const bool head = self.asked[self.reading.replies.size() % self.asked.size()].head;
    // It leaves these to its user (RFC 9110, section 6.4.1).
    return head || parser->status_code == 204 || parser->status_code == 304 ? 1 : 0;
  };
  settings.on_body = [](http_parser* parser, const char* at, std::size_t size) {
    static_cast<Oracle*>(parser->data)->reply.content.append(at, size);
    return 0;
  };
  settings.on_message_complete = [](http_parser* parser) {
    auto& self = *static_cast<Oracle*>(parser->data);
    if (parser->status_code < 200) return 0;
    self.reply.status = static_cast<std::uint16_t>(parser->status_code);
    self.reply.error = self.reply.status >= 400;
    self.reply.last = http_should_keep_alive(parser) == 0;
    self.reading.replies.push_back(std::exchange(self.reply, Framed()));
    return 0;
  };
  // Byte by byte, so that the end of each reply is known.
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t before = oracle.reading.replies.size();
    http_parser_execute(&oracle.parser, &settings, text.data() + at, 1);
    if (HTTP_PARSER_ERRNO(&oracle.parser) != HPE_OK) {
      oracle.reading.wrong = http_errno_description(HTTP_PARSER_ERRNO(&oracle.parser));
      break;
    }
    if (oracle.reading.replies.size() == before) continue;
    oracle.reading.replies.back().size = at + 1 - std::exchange(oracle.began, at + 1);
  }
  return oracle.reading;
}

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : random_(seed) {}

  std::size_t below(std::size_t end) { return random_() % end; }
  template <class T>
  T one_of(std::initializer_list<T> all) {
    return all.begin()[below(all.size())];
  }

 private:
  std::mt19937 random_;
};

std::string chunks_of(Dice& dice, std::string_view body) {
  std::string text;
  while (!body.empty()) {
    const std::size_t size = 1 + dice.below(body.size());
    char number[20];
    std::snprintf(number, sizeof number, dice.one_of({"%zx", "%zX", "0%zx"}), size);
    text += number + std::string(dice.one_of({"\r\n", ";a=b\r\n", "; x\r\n"}));
    text += std::string(body.substr(0, size)) + "\r\n";
    body.remove_prefix(size);
  }
  return text + dice.one_of({"0\r\n\r\n", "0\r\nDate: x\r\n\r\n", "000\r\nA: b\r\nC: d\r\n\r\n"});
}

// One response; `last` ends the connection.
std::string response_of(Dice& dice, bool head, bool last) {
  std::string text;
  if (dice.below(5) == 0) text += "HTTP/1.1 100 Continue\r\n\r\n";
  const int status = dice.one_of({200, 200, 200, 201, 204, 301, 304, 404, 500});
  text += "HTTP/1.1 " + std::to_string(status) + dice.one_of({" OK", " Not Quite", " "}) + "\r\n";
  if (dice.below(2) == 0) text += "Server: some/1.0 (x; y)\r\nX-Empty:\r\n";
  if (last) text += dice.one_of({"Connection: close\r\n", "connection: Close\r\n"});
  const bool without = head || status == 204 || status == 304;
  const std::string body(dice.below(40), "abc\r\n0"[dice.below(6)]);
  switch (without ? dice.below(2) : 1 + dice.below(2)) {
    case 0:
      return text + "Date: x\r\n\r\n";
    case 1:
      text += dice.one_of({"Content-Length: ", "content-length:\t", "CONTENT-LENGTH:"}) +
              std::to_string(body.size()) + "\r\n\r\n";
      return without ? text : text + body;
    default:
      return text + dice.one_of({"Transfer-Encoding: chunked", "transfer-encoding:  Chunked "}) +
             "\r\n\r\n" + chunks_of(dice, body);
  }
}

}  // namespace

TEST_CASE("http_parser sees the same replies in the same bytes, cut anywhere") {
  std::size_t replies = 0;
  for (std::uint32_t seed = 1; seed <= 20'000; ++seed) {
    Dice dice(seed);
    const std::size_t count = 1 + dice.below(4);
    std::vector<Asked> asked;
    std::string text;
    for (std::size_t i = 0; i < count; ++i) {
      asked.push_back({.head = dice.below(6) == 0});
      text += response_of(dice, asked.back().head, i + 1 == count && dice.below(3) == 0);
    }
    const Reading wanted = read_by_oracle(text, asked);
    CAPTURE(seed);
    CAPTURE(text);
    REQUIRE(wanted.wrong.empty());
    REQUIRE(wanted.replies.size() == count);
    REQUIRE(read_pieces(HttpFramer(), text, {}, asked).replies == wanted.replies);
    const std::size_t cuts[] = {dice.below(text.size()), text.size()};
    REQUIRE(read_pieces(HttpFramer(), text, cuts, asked).replies == wanted.replies);
    replies += count;
  }
  CHECK(replies > 40'000);
}

// What one takes for a whole reply and the other for a different one, nobody may. http_parser is
// the more tolerant of the two in places, and where either refuses there is nothing to compare.
TEST_CASE("damaged bytes are never two different replies") {
  std::size_t both = 0, refused = 0;
  for (std::uint32_t seed = 1; seed <= 60'000; ++seed) {
    Dice dice(seed);
    const Asked asked[] = {{}};
    std::string text = response_of(dice, false, false) + response_of(dice, false, true);
    for (std::size_t i = 1 + dice.below(3); i > 0; --i)
      text[dice.below(text.size())] = dice.one_of({'\r', '\n', ' ', ':', '0', '9', 'f', ';', '\0'});
    const Reading wanted = read_by_oracle(text, asked);
    const Reading got = read_pieces(HttpFramer(), text, {}, asked);
    CAPTURE(seed);
    CAPTURE(text);
    const std::size_t common = std::min(wanted.replies.size(), got.replies.size());
    for (std::size_t i = 0; i < common; ++i) {
      CHECK(got.replies[i].size == wanted.replies[i].size);
      CHECK(got.replies[i].status == wanted.replies[i].status);
      CHECK(got.replies[i].content == wanted.replies[i].content);
    }
    both += common;
    refused += !got.wrong.empty();
  }
  CHECK(both > 20'000);
  CHECK(refused > 10'000);
}
