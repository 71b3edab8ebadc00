// What a load sends, and how it knows the answers: the one thing about a protocol that it asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.h"

namespace wiremark::load {

/// A message of a load. Nothing else about it is remembered until its reply comes: it is made
/// again where the reply has to be compared with it.
struct MessageId {
  std::size_t client;        ///< The connection, among those of its thread.
  std::uint32_t connection;  ///< The same, among those of the load.
  std::uint32_t sequence;    ///< On its connection, from 0.
};

/// What an exchange makes of the bytes that wait for it; small enough to come back in registers.
struct Reply {
  std::size_t consumed = 0;  ///< Of the bytes shown; 0 where a reply is read only when it is whole.
  std::uint32_t size = 0;    ///< Of the reply that ends with what was consumed; 0 while none does.
  bool refused = false;      ///< It is wrong, and refusal() says why.
};
static_assert(sizeof(Reply) <= 2 * sizeof(void*));

/// Why a reply was refused.
struct Refusal {
  std::string kind;    ///< As errors are counted: "wrong reply", "json: syntax".
  std::string detail;  ///< A sentence about this one.
};

/// One for each thread, with what it knows of each of the thread's connections. Over streams,
/// replies come in the order of their messages; a datagram says itself what it answers.
class Exchange {
 public:
  virtual ~Exchange() = default;

  /// Whether requests stay as they are; else each lies where the one before did.
  bool lasting() const noexcept { return lasting_; }

  /// The connection has opened: nothing is left of a reply that an earlier one began.
  virtual void opened(std::size_t client) = 0;

  /// What goes out for a message; over datagrams behind its head().
  virtual Bytes request(MessageId message) = 0;
  virtual Bytes head(MessageId) { return {}; }

  /// Reads the reply to `message` from the front of `bytes`, which come again, with more behind
  /// them, as far as they were not consumed. A datagram is a whole reply, or none.
  virtual Reply reply(MessageId message, Bytes bytes) = 0;

  /// The sequence of the message that a datagram answers, if it looks like one of this run.
  virtual std::optional<std::uint32_t> sequence_of(std::uint32_t connection, Bytes datagram) = 0;

  /// Why the last reply was refused.
  virtual Refusal refusal() const = 0;

 protected:
  explicit Exchange(bool lasting) noexcept : lasting_(lasting) {}

 private:
  bool lasting_;
};

/// The same for all threads, and what is told of it. None of them changes it.
class ExchangePlan {
 public:
  virtual ~ExchangePlan() = default;

  /// For one thread, which has so many connections; made on it.
  virtual std::unique_ptr<Exchange> exchange(std::size_t clients) const = 0;

  /// As users write it: "raw", "json".
  virtual std::string_view name() const noexcept = 0;
  /// What the messages hold, as the configuration in a result tells it: a key and its value.
  virtual std::pair<std::string, std::string> contents() const = 0;
  /// Whether replies are compared with their messages.
  virtual bool verifies() const noexcept = 0;
  /// The sentence of a result whose replies were all right.
  virtual std::string verified() const = 0;
  /// What a result without any answer says; empty where nothing can be said.
  virtual std::string unanswered() const { return {}; }
  /// A warning about what is sent; mostly empty.
  virtual std::string note() const { return {}; }
};

}  // namespace wiremark::load
