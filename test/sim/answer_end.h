// A server of a protocol that is none of netecho's: a line comes, and its answer goes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "net/conn.h"
#include "netecho/echo.h"

namespace wiremark::load {

/// What a request is answered with. Over streams a request ends with \n.
using Answering = std::function<std::string(std::string_view)>;

class AnswerEnd {
 public:
  AnswerEnd(Answering answer, tools::EchoCounts& counts)
      : answer_(std::move(answer)), counts_(counts) {}

  void on_open(net::Conn&) {}
  void on_close(net::Conn&, int) {}
  std::size_t on_data(net::Conn& conn, Bytes bytes) {
    std::string_view text = as_text(bytes);
    for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
      conn.append(as_bytes(answer_(text.substr(0, end + 1))));
      counts_.messages.add();
      text.remove_prefix(end + 1);
    }
    return bytes.size() - text.size();
  }
  std::optional<Bytes> on_datagram(Bytes bytes) {
    last_ = answer_(as_text(bytes));
    return as_bytes(last_);
  }
  Nanoseconds on_turn(Nanoseconds) { return kNever; }

 private:
  Answering answer_;
  tools::EchoCounts& counts_;
  std::string last_;
};

/// A bulk string of RESP whose length and content follow from the request.
inline std::string answer_in_resp(std::string_view request) {
  std::size_t sum = 0;
  for (const char c : request) sum = sum * 31 + static_cast<unsigned char>(c);
  const std::string text(sum % 50, static_cast<char>('\n' + sum % 100));
  return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
}

}  // namespace wiremark::load
