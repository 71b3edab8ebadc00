// Messages without a format: windows of a random block. Every byte of a reply is compared.
#include "load/exchange/raw.h"

#include <algorithm>
#include <cstring>

namespace wiremark::load {

std::unique_ptr<Exchange> RawPlan::exchange(std::size_t clients) const {
  return std::make_unique<RawExchange>(*this, clients);
}

std::pair<std::string, std::string> RawPlan::contents() const {
  const std::string least = std::to_string(pattern_.size_min());
  if (pattern_.size_min() == pattern_.size_max()) return {"size", least};
  return {"size", least + "-" + std::to_string(pattern_.size_max())};
}

std::pair<std::string, std::string> RawPlan::checked() const {
  if (!verify_) return {};
  return {"verify", "every byte of every reply compared with what was sent"};
}

std::string RawPlan::unanswered() const {
  return "does it echo? What else a server is sent, --send says, or a scheme such as http://";
}

std::string RawExchange::unfinished(std::size_t client) const {
  if (read_[client] == 0) return {};
  return std::to_string(read_[client]) + " bytes of a reply had come, and not the rest";
}

Bytes RawExchange::request(MessageId message) {
  const Bytes window = pattern_.message(message.connection, message.sequence);
  return run_ == 0 ? window : window.subspan(DatagramHeader::kSize);
}

Bytes RawExchange::head(MessageId message) {
  DatagramHeader{run_, message.connection, message.sequence}.write(header_.data());
  return header_;
}

// Most replies come in one piece.
Reply RawExchange::reply(MessageId message, Bytes bytes) {
  const Bytes window = pattern_.message(message.connection, message.sequence);
  const auto size = static_cast<std::uint32_t>(window.size());
  if (run_ != 0) return datagram_reply(window, bytes);
  if (read_[message.client] > 0 || bytes.size() < size)
    return read_piece(read_[message.client], window, bytes);
  if (verify_ && std::memcmp(window.data(), bytes.data(), size) != 0) return {.refused = true};
  return {.consumed = size, .size = size};
}

Reply RawExchange::read_piece(std::uint32_t& read, Bytes window, Bytes bytes) const {
  const Bytes expected = window.subspan(read);
  const std::size_t count = std::min(expected.size(), bytes.size());
  if (verify_ && std::memcmp(expected.data(), bytes.data(), count) != 0) return {.refused = true};
  if (count < expected.size()) {
    read += static_cast<std::uint32_t>(count);
    return {.consumed = count};
  }
  read = 0;
  return {.consumed = count, .size = static_cast<std::uint32_t>(window.size())};
}

// The header has been checked by sequence_of().
Reply RawExchange::datagram_reply(Bytes window, Bytes bytes) const {
  if (bytes.size() != window.size()) return {};
  const Bytes expected = window.subspan(DatagramHeader::kSize);
  const std::byte* body = bytes.data() + DatagramHeader::kSize;
  if (verify_ && std::memcmp(expected.data(), body, expected.size()) != 0) return {.refused = true};
  return {.consumed = bytes.size(), .size = static_cast<std::uint32_t>(bytes.size())};
}

std::optional<std::uint32_t> RawExchange::sequence_of(MessageId next, Bytes datagram) {
  const auto header = DatagramHeader::read(datagram);
  if (!header || header->run != run_ || header->connection != next.connection) return std::nullopt;
  return header->sequence;
}

}  // namespace wiremark::load
