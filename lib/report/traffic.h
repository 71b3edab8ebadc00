// What went over the wire in a run, and what became of its messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/fields.h"

namespace wiremark::report {

/// How often each kind of error, or of answer, came, in the order first met.
using KindCounts = std::vector<std::pair<std::string, std::uint64_t>>;

/// The kind that holds all errors that are not told apart: see load::ErrorCounts, and More::rest.
inline constexpr const char* kOtherErrors = "errors of other kinds";

/// Adds `count` to `kind`, which is appended when new.
void add_count(KindCounts& counts, const std::string& kind, std::uint64_t count = 1);

std::uint64_t sum_of(const KindCounts& counts) noexcept;

/// Those that are not 0: "timeout 2, reset 1"; of many kinds the eight most frequent: "... and 7 of
/// other kinds".
std::string counts_text(const KindCounts& counts);

/// TCP segments.
struct Packets {
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  std::uint64_t data_in = 0;
  std::uint64_t data_out = 0;

  friend Packets operator-(const Packets& later, const Packets& earlier) noexcept;

  void fields(auto& f) {
    f.table("packets",
            "TCP segments of our connections as the kernel counts them, acknowledgements and "
            "retransmissions among them; data_ is the part that carried bytes.");
    f("in", in, kCounted, "", {.column = "packets_in"});
    f("out", out, kCounted, "", {.column = "packets_out"});
    f("data_in", data_in, kCounted, "", {.column = "data_packets_in"});
    f("data_out", data_out, kCounted, "", {.column = "data_packets_out"});
  }
};

/// Datagrams at our own sockets.
struct Datagrams {
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  std::uint64_t unsent = 0;
  std::uint64_t dropped = 0;

  void fields(auto& f) {
    f.table("datagrams", "At our own sockets.");
    f("in", in, kCounted);
    f("out", out, kCounted);
    f("unsent", unsent, kCounted, "The kernel did not take them.");
    f("dropped", dropped, kCounted,
      "They came, and the kernel found no room for them in the socket.");
  }
};

/// What was answered after the time that was asked for; it is in no rate.
struct Drain {
  double seconds = 0;
  std::uint64_t messages = 0;

  void fields(auto& f) {
    f.table("drain", "");
    f("seconds", seconds, {Unit::seconds, Add::time},
      "From the end of the asked time to the last answer.");
    f("messages", messages, kCounted, "Answered in it.");
  }
};

struct Totals {
  std::uint64_t connections = 0;
  std::uint64_t connections_asked = 0;
  std::optional<std::uint64_t> opened_again = std::nullopt;
  std::uint64_t messages = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::optional<Packets> packets;
  std::optional<Datagrams> datagrams = std::nullopt;
  double seconds = 0;
  std::optional<Drain> drain = std::nullopt;
  KindCounts errors;
  std::uint64_t errors_allowed = 0;

  double qps() const noexcept { return seconds > 0 ? static_cast<double>(messages) / seconds : 0; }
  std::uint64_t errors_sum() const noexcept { return sum_of(errors); }

  void fields(auto& f) {
    f.table("totals", "");
    f("connections", connections, kCounted);
    f("connections_asked", connections_asked, kCounted, "0 where the other side decides.");
    f("opened_again", opened_again, kCounted,
      "netload, not over UDP: how often one of its connections was opened after it had ended, the "
      "warm-up included.");
    f("messages", messages, kCounted,
      "In the seconds, as the bytes and packets. netload with a duration: every answer that came "
      "in it; outcome has what became of the messages.");
    f("bytes_in", bytes_in, {Unit::bytes, Add::sum});
    f("bytes_out", bytes_out, {Unit::bytes, Add::sum});
    f("packets", packets, "null where nothing is TCP.",
      {.column = "", .null = true, .missed = "packets"});
    f("datagrams", datagrams, "Absent where nothing is UDP.", {.column = "datagrams_"});
    f("seconds", seconds, {Unit::seconds, Add::time},
      "Of the measured part, warm-up left out: the time that was asked for, or until the last "
      "answer.");
    f("drain", drain, "netload with a duration: what came after it, and is in no rate.",
      {.column = "drain_", .missed = "the drain"});
    f.made("qps", Unit::per_second, &Totals::qps);
    f("errors", errors, kCounted, "", {.rest = kOtherErrors});
    f.column("errors", &Totals::errors_sum);
    f("errors_allowed", errors_allowed, kCounted,
      "--max-errors: up to so many do not invalidate a run.");
  }
};

/// What became of the messages of the measured part.
struct Outcome {
  std::uint64_t planned = 0;
  std::uint64_t sent = 0;
  std::uint64_t answered = 0;
  std::uint64_t lost = 0;
  std::uint64_t late = 0;
  std::uint64_t unsent = 0;
  std::optional<std::uint64_t> repeated = std::nullopt;

  void fields(auto& f) {
    f.table("outcome", "planned = sent + unsent, sent = answered + lost.");
    f("planned", planned, kCounted, "In a closed loop a message is planned when it is sent.");
    f("sent", sent, kCounted, "", {.most = "planned"});
    f("answered", answered, kCounted, "Whole, right, and before the timeout.", {.most = "sent"});
    f("lost", lost, kCounted, "Sent, and not answered in time.");
    f("late", late, kCounted, "The part of lost whose answer came after the timeout.",
      {.most = "lost"});
    f("unsent", unsent, kCounted, "Planned, and never sent.");
    f("repeated", repeated, kCounted,
      "The part of sent that was sent once more: the server had closed the connection before it "
      "took them. Absent over UDP.",
      {.most = "sent"});
  }
};

/// The outcome with what follows from the other counts: unsent and lost.
Outcome remade(Outcome outcome);

/// What else came of the messages of a generator that sends datagrams.
struct Delivery {
  std::uint64_t reordered = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t wrong = 0;
  std::optional<bool> without_ids = std::nullopt;
  std::optional<double> lost_wait_s = std::nullopt;

  void fields(auto& f) {
    f.table("delivery", "");
    f("reordered", reordered, kCounted,
      "Answers that came behind one to a later message of their connection.");
    f("duplicated", duplicated, kCounted, "Answers to what had been answered.");
    f("wrong", wrong, kCounted, "Datagrams that answer nothing of what was sent.");
    f("without_ids", without_ids, Add::largest,
      "Whether no answer says which message it answers: each counts as that to the newest of its "
      "connection then.");
    f("lost_wait_s", lost_wait_s, {Unit::seconds, Add::sum},
      "How long, of the seconds, connections had one message less under way, waiting for those "
      "that "
      "were lost. Only in a closed loop.");
  }
};

}  // namespace wiremark::report
