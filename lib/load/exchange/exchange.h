// What a load sends and how it recognises the answers: all that a load knows of a protocol.
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

/// Identifies a message of a load. The message itself is not kept: it is made again when its reply
/// is compared with it.
struct MessageId {
  std::size_t client;        ///< Its connection, numbered within the thread.
  std::uint32_t connection;  ///< The same connection, numbered within the load.
  std::uint32_t sequence;    ///< Its number on the connection, from 0.
};

/// Kinds of answers are numbered below this; HTTP's are its statuses.
inline constexpr std::size_t kAnswerKinds = 1000;

/// What an exchange made of received bytes; small enough to be returned in registers.
struct Reply {
  std::size_t consumed = 0;  ///< Bytes that are done with; may be 0 until the reply is whole.
  std::uint32_t size = 0;    ///< Bytes of the reply that is now whole; 0 while none is.
  std::uint16_t kind = 0;    ///< Of a whole one: see name_of_kind(); 0: it has none.
  bool refused : 1 = false;  ///< The reply is wrong; refusal() says why.
  bool error : 1 = false;    ///< A right reply which says that its request failed: see refusal().
  bool last : 1 = false;     ///< The server closes the connection behind it.
};
static_assert(sizeof(Reply) <= 2 * sizeof(void*));

/// Why a reply was refused.
struct Refusal {
  std::string kind;    ///< Under which it is counted: "wrong reply", "json: syntax".
  std::string detail;  ///< A sentence about this reply.
};

/// One for each thread, with the state of each connection of that thread. Over streams, replies
/// come in the order of their messages; a datagram carries what it answers.
class Exchange {
 public:
  virtual ~Exchange() = default;

  /// Whether the bytes of requests stay as they are; if not, each request overwrites the last one.
  bool lasting() const noexcept { return lasting_; }

  /// Whether no message has a reply: each is done with when the kernel has taken it.
  bool one_way() const noexcept { return one_way_; }

  /// A connection has opened: forgets the part of a reply that came over an earlier one.
  virtual void opened(std::size_t client) = 0;

  /// The bytes of a message; in a datagram they follow its head().
  virtual Bytes request(MessageId message) = 0;
  virtual Bytes head(MessageId) { return {}; }
  /// Whether a server may take the message twice, since it changes nothing there.
  virtual bool repeatable(MessageId) const { return false; }

  /// Reads the reply to `message` from the front of `bytes`. Bytes that are not consumed come
  /// again, with more behind them. A datagram is a whole reply or none.
  virtual Reply reply(MessageId message, Bytes bytes) = 0;

  /// The sequence of the message that a datagram answers, if it seems to belong to this run. `next`
  /// is the message that its connection sends next.
  virtual std::optional<std::uint32_t> sequence_of(MessageId next, Bytes datagram) = 0;

  /// Why the last reply was refused, or how its error is counted.
  virtual Refusal refusal() const = 0;

  /// Reads what a server says before it is asked; none where it says nothing.
  virtual Exchange* greeting() noexcept { return nullptr; }
  /// Bytes came while no message was under way.
  virtual Refusal unasked(std::size_t, Bytes) {
    return {"more bytes came back than were sent", {}};
  }
  /// The server has closed the connection; a reply that may end so has a size, and consumed
  /// nothing.
  virtual Reply closed(MessageId) { return {}; }
  /// What has come of a reply that did not end; empty where nothing has.
  virtual std::string unfinished(std::size_t) const { return {}; }

 protected:
  explicit Exchange(bool lasting, bool one_way = false) noexcept
      : lasting_(lasting), one_way_(one_way) {}

 private:
  bool lasting_;
  bool one_way_;
};

/// What the exchanges of all threads share, and its descriptions in the result. It is never
/// changed.
class ExchangePlan {
 public:
  virtual ~ExchangePlan() = default;

  /// Makes the exchange of one thread, on that thread, for `clients` connections.
  virtual std::unique_ptr<Exchange> exchange(std::size_t clients) const = 0;

  /// Its name on the command line: "raw", "json".
  virtual std::string_view name() const noexcept = 0;
  /// What the messages hold: a key and its value in the configuration of a result.
  virtual std::pair<std::string, std::string> contents() const = 0;
  /// The same for two plans that send and expect the same, to whatever host, and else different:
  /// contents() shortens. None where contents() says it all.
  virtual std::optional<std::uint64_t> digest() const { return std::nullopt; }
  /// Whether replies are compared with their messages.
  virtual bool verifies() const noexcept = 0;
  /// Whether each datagram says which message it answers. If not, it is taken for the answer to the
  /// newest of its connection.
  virtual bool has_ids() const noexcept { return true; }
  /// What is checked in each reply: the name of the check, and its sentence in a result in which
  /// every reply was right. Both are empty if nothing is checked.
  virtual std::pair<std::string, std::string> checked() const = 0;
  /// What a server may lack in what is sent, or not have understood: a clause for a run in which
  /// nothing came back. Empty where nothing is known.
  virtual std::string unanswered() const { return {}; }
  /// Whether the protocol tells kinds of answers apart, such as HTTP's statuses.
  virtual bool tells_kinds() const noexcept { return false; }
  /// What answers of Reply::kind are counted as: "404".
  virtual std::string name_of_kind(std::uint16_t) const { return {}; }
  /// A warning about what is sent; usually empty.
  virtual std::string note() const { return {}; }
};

}  // namespace wiremark::load
