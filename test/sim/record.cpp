// What a simulated network saw of a load, and what the load must therefore have counted.
#include "record.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/mix.h"
#include "measure/behind.h"

namespace wiremark::load {

namespace {

using What = net::sim::Seen::What;

// Every bucket of two histograms, and their exact extremes.
void compare_histograms(const char* name, const measure::Histogram& wanted,
                        const measure::Histogram& got, std::vector<std::string>& differences) {
  std::map<std::size_t, std::pair<std::uint64_t, std::uint64_t>> buckets;
  wanted.for_each([&](const auto& bucket) { buckets[bucket.index].first = bucket.count; });
  got.for_each([&](const auto& bucket) { buckets[bucket.index].second = bucket.count; });
  for (const auto& [index, counts] : buckets) {
    if (counts.first == counts.second) continue;
    differences.push_back(std::string(name) + " of " +
                          std::to_string(measure::Histogram::lowest_of(index)) + " ns: recorded " +
                          std::to_string(counts.first) + ", counted " +
                          std::to_string(counts.second));
    return;  // Usually a consequence of this one.
  }
  if (wanted.min() != got.min() || wanted.max() != got.max())
    differences.push_back(std::string(name) + ": the extremes differ");
}

}  // namespace

Record::Record(const Plan& plan, std::size_t thread, bool poisson, std::uint64_t seed,
               std::unique_ptr<Exchange> exchange, bool receive_timestamps, Answering answer)
    : plan_(plan),
      thread_(thread),
      step_ns_(plan.open_loop() ? static_cast<double>(kSecond) /
                                      (plan.rate_hz * static_cast<double>(plan.connections))
                                : 0),
      exchange_(std::move(exchange)),
      receive_timestamps_(receive_timestamps),
      answer_(std::move(answer)) {
  if (!poisson) return;
  double at_ns = 0;
  const std::uint64_t key = mix(seed);
  for (std::uint64_t place = 0; place < plan.schedule->places(); ++place) {
    const double uniform = static_cast<double>(mix(key + place) >> 11) * 0x1p-53;
    poisson_.push_back(at_ns += -std::log1p(-uniform) * step_ns_);
  }
}

// Clients connect for the first time in the order of their numbers.
Record::Client& Record::client_of(void* user) {
  auto& client = clients_[user];
  if (!client) {
    const std::size_t number = (clients_.size() - 1) * plan_.lanes() + plan_.lane_of(thread_);
    client = std::make_unique<Client>(static_cast<std::uint32_t>(number));
  }
  return *client;
}

Nanoseconds Record::planned_of(std::uint64_t place) const {
  if (!poisson_.empty()) return start_ + static_cast<Nanoseconds>(poisson_.at(place));
  return start_ + static_cast<Nanoseconds>(static_cast<double>(place) * step_ns_);
}

void Record::complain(std::string sentence) {
  if (complaints_.size() < 5) complaints_.push_back(std::move(sentence));
}

// The next message of a client is sent, behind a head of so many bytes.
void Record::sent(Client& client, Nanoseconds at, std::size_t head) {
  const auto sequence = static_cast<std::uint32_t>(client.messages.size());
  const Nanoseconds measure_from = start_ + plan_.warmup;
  Message message{.planned = at, .sent = at, .measured = at >= measure_from, .size = 0};
  const MessageId id{0, client.connection, sequence};
  const Bytes request = exchange_->request(id);
  message.size = request.size() + head;
  message.reply = answer_ ? answer_(as_text(request)).size() : message.size;
  if (plan_.open_loop()) {
    const std::uint64_t place = std::uint64_t{sequence} * plan_.connections + client.connection;
    if (place >= plan_.schedule->places())
      return complain("message " + std::to_string(sequence) + " of connection " +
                      std::to_string(client.connection) + " is not in the plan");
    message.planned = planned_of(place);
    // By half a nanosecond: times of the plan are rounded down.
    message.measured = message.planned + 1 >= measure_from &&
                       (poisson_.empty() ? static_cast<double>(place) * step_ns_ + 0.5 >=
                                               static_cast<double>(plan_.warmup)
                                         : message.planned >= measure_from);
    if (at < message.planned) complain("a message left before its time");
  }
  client.messages.push_back(message);
}

void Record::answer(Message& message, const net::sim::Seen& seen) {
  const bool by_kernel = receive_timestamps_ && seen.arrived >= message.sent;
  message.answered = by_kernel ? seen.arrived : seen.at;
}

void Record::see_load(const net::sim::Seen& seen, Nanoseconds taken_until) {
  last_seen_ = std::max(last_seen_, seen.at);
  if (!seen.datagram.empty()) return see_datagram(seen, taken_until);
  if (seen.what == What::connecting) {
    Client& client = client_of(seen.user);
    const auto next = client.repeats_from.value_or(client.messages.size());
    client.repeats_from.reset();
    streams_[seen.connection] = {&client, seen.at, next, next, next, next};
    return;
  }
  if (!streams_.contains(seen.connection)) {  // A socket over UDP is ready at once.
    client_of(seen.user);
    ++opened_;
    return;
  }
  Stream& stream = streams_[seen.connection];
  Client& client = *stream.client;
  if (seen.what == What::opened) {
    stream.open = true;
    stream.connecting = false;
    ++opened_;
    opened_again_ += std::exchange(client.opened, true);
    connect_.record(seen.at - stream.began);
  } else if (seen.what == What::sent) {
    while (stream.sent_bytes < seen.bytes) {
      if (stream.next == client.messages.size())
        sent(client, seen.at, 0);
      else
        client.messages[stream.next].repeated = seen.at;
      stream.sent_bytes += client.messages[stream.next++].size;
    }
    if (stream.sent_bytes > seen.bytes) complain("a part of a message left");
    const auto under_way = client.messages.size() - stream.answered;
    if (under_way > plan_.pipeline) complain("more messages are under way than the pipeline holds");
    if (plan_.churn > 0 && client.messages.size() - stream.first > plan_.churn)
      complain("a connection has more than its share of messages");
  } else if (seen.what == What::read) {
    while (stream.answered < client.messages.size()) {
      Message& message = client.messages[stream.answered];
      if (stream.answered_bytes + message.reply > seen.bytes) break;
      stream.answered_bytes += message.reply;
      ++stream.answered;
      answer(message, seen);
    }
  } else if (seen.what == What::closed) {
    closed(stream, seen);
  }
}

void Record::closed(Stream& stream, const net::sim::Seen& seen) {
  Client& client = *stream.client;
  if (stream.open) ++closed_;
  stream.connecting = false;
  if (stream.answered < client.messages.size()) {
    const Message& oldest = client.messages[stream.answered];
    const bool there = stream.answered_bytes + oldest.reply <= seen.bytes + seen.unread;
    if (there && seen.error == 0 && plan_.timeout > 0 &&
        seen.arrived <= oldest.sent + plan_.timeout)
      complain("a connection was given up whose reply had come in time");
  }
  if (seen.by_peer && seen.error == 0 && may_repeat(stream)) client.repeats_from = stream.answered;
  for (; stream.answered < client.messages.size(); ++stream.answered)
    client.messages[stream.answered].lost = !client.repeats_from;
  stream.open = false;
}

// Whether the server read no byte of what it did not answer, and may read all of that twice.
bool Record::may_repeat(const Stream& stream) const {
  const auto& messages = stream.client->messages;
  bool may = stream.answered < messages.size() && stream.taken == stream.answered &&
             stream.read_bytes == stream.taken_bytes;
  for (std::uint32_t i = stream.answered; may && i < messages.size(); ++i) {
    const Bytes request = exchange_->request({0, stream.client->connection, i});
    may = messages[i].repeated == 0 && as_text(request).starts_with("GET ");
  }
  return may;
}

void Record::see_datagram(const net::sim::Seen& seen, Nanoseconds taken_until) {
  Client& client = client_of(seen.user);
  const auto next = static_cast<std::uint32_t>(client.messages.size());
  if (seen.what == What::sent) {
    MessageId id{0, client.connection, next + 1};
    const auto sequence = exchange_->sequence_of(id, seen.datagram);
    if (sequence != next) complain("a datagram does not say what it is");
    id.sequence = next;
    return sent(client, seen.at, exchange_->head(id).size());
  }
  const auto sequence = exchange_->sequence_of({0, client.connection, next}, seen.datagram);
  if (!sequence || *sequence >= next) return complain("a datagram came back that was not sent");
  Message& message = client.messages[*sequence];
  if (message.answered > 0 || message.late) {
    ++message.copies;
  } else if (taken_until > message.sent + plan_.timeout) {
    if (seen.arrived <= message.sent + plan_.timeout)
      complain("a datagram is late that came in time");
    message.late = true;
  } else {
    message.reordered = *sequence < client.newest;
    client.newest = std::max(client.newest, *sequence);
    message.answered = seen.at;
  }
}

void Record::see_server(const net::sim::Seen& seen) {
  const auto found = streams_.find(seen.connection);
  if (found == streams_.end() || seen.what != What::read) return;
  Stream& stream = found->second;
  stream.read_bytes = seen.bytes;
  while (stream.taken < stream.client->messages.size()) {
    const std::size_t size = stream.client->messages[stream.taken].size;
    if (stream.taken_bytes + size > seen.bytes) return;
    stream.taken_bytes += size;
    ++stream.taken;
    ++taken_;
  }
}

Nanoseconds Record::over_at() const {
  Nanoseconds at = std::max(last_seen_, start_ + plan_.warmup + plan_.duration);
  for (const auto& [user, client] : clients_) {
    for (const Message& message : client->messages) {
      const bool waits = message.answered == 0 && !message.lost;
      at = std::max({at, message.planned, waits ? message.sent + plan_.timeout : 0});
    }
  }
  for (const auto& [connection, stream] : streams_)
    if (stream.connecting) at = std::max(at, stream.began + plan_.timeout);
  return at;
}

// This thread's measured part of the plan.
std::uint64_t Record::planned_in_all() const {
  std::uint64_t planned = 0;
  for (std::uint64_t place = 0; place < plan_.schedule->places(); ++place) {
    if (place % plan_.connections % plan_.lanes() != plan_.lane_of(thread_)) continue;
    const double at_ns =
        poisson_.empty() ? static_cast<double>(place) * step_ns_ + 0.5 : poisson_[place];
    if (static_cast<Nanoseconds>(at_ns) >= plan_.warmup) ++planned;
  }
  return planned;
}

std::vector<std::string> Record::compare(const Counts& counts, bool cut_short) const {
  std::vector<std::string> differences = complaints_;
  measure::Histogram response, service, lateness;
  std::uint64_t sent = 0, behind = 0, answered = 0, late = 0, copies = 0, reordered = 0;
  std::uint64_t bytes_out = 0, bytes_in = 0, in_time = 0, drained = 0, repeated = 0;
  Nanoseconds last = 0;
  const Nanoseconds from = start_ + plan_.warmup;
  const Nanoseconds end = plan_.duration > 0 ? from + plan_.duration : kNever;
  const auto asked = [&](const Message& message, Nanoseconds at) {
    return end == kNever ? message.measured : at >= from && at < end;
  };
  for (const auto& [user, client] : clients_) {
    for (const Message& message : client->messages) {
      if (asked(message, message.sent)) bytes_out += message.size;
      if (message.repeated > 0 && asked(message, message.repeated)) bytes_out += message.size;
      if (message.answered > 0 && asked(message, message.answered)) {
        ++in_time;
        bytes_in += message.reply;
      }
      if (!message.measured) continue;
      ++sent;
      if (plan_.open_loop()) {
        lateness.record(message.sent - message.planned);
        behind += message.sent > message.planned + measure::kBehindNs;
      }
      repeated += message.repeated > 0;
      late += message.late;
      copies += message.copies;
      if (message.answered == 0) continue;
      ++answered;
      drained += message.answered >= end;
      reordered += message.reordered;
      last = std::max(last, message.answered);
      if (plan_.open_loop()) service.record(message.answered - message.sent);
      response.record(message.answered - message.planned);
    }
  }
  const auto same = [&](const char* name, std::uint64_t wanted, std::uint64_t got) {
    if (wanted != got)
      differences.push_back(std::string(name) + ": recorded " + std::to_string(wanted) +
                            ", counted " + std::to_string(got));
  };
  const std::uint64_t planned = plan_.open_loop() ? planned_in_all() : sent;
  if (!cut_short) same("planned", planned, counts.planned.get());
  if (counts.planned.get() < counts.sent.get() || counts.planned.get() > planned)
    differences.emplace_back("more sent than planned, or more planned than there is");
  same("sent", sent, counts.sent.get());
  same("sent behind time", behind, counts.behind.get());
  same("answered", answered, counts.answered.get());
  same("answered in time", in_time, counts.in_time.get());
  same("answered in the drain", drained, counts.drained.get());
  same("sent once more", repeated, counts.repeated.get());
  same("late", late, counts.late.get());
  same("duplicated", copies, counts.duplicated.get());
  same("reordered", reordered, counts.reordered.get());
  same("wrong", 0, counts.wrong.get());
  // What the end of a connection loses is an error.
  if (!streams_.empty() && counts.failed.get() == 0 && !cut_short)
    same("answered where nothing failed", counts.sent.get(), counts.answered.get());
  same("bytes out", bytes_out, counts.bytes_out.get());
  same("bytes in", bytes_in, counts.bytes_in.get());
  // What nothing held up leaves as late as the load came to it.
  if (counts.held.get() == 0 && !cut_short && sent == planned && plan_.churn == 0 &&
      !plan_.reconnect && counts.failed.get() == 0 && counts.behind.get() > counts.overdue.get())
    differences.emplace_back("fewer are overdue than left late");
  if (counts.overdue.get() > counts.behind.get())
    differences.emplace_back("more are overdue than left late");
  const auto no_more = [&](const char* name, Nanoseconds got, Nanoseconds most) {
    if (got > most)
      differences.push_back(std::string(name) + ": " + std::to_string(got) + " ns of " +
                            std::to_string(most));
  };
  const Nanoseconds heard_last = counts.last_answer_ns;  // With time stamps it came before that.
  const Nanoseconds covered = heard_last > from ? heard_last - from : 0;
  const std::uint64_t places = clients_.size() * plan_.pipeline;
  no_more("held up until the last answer", counts.held_up.until(heard_last).sum, covered);
  no_more("waited until the last answer", counts.lost_wait.until(heard_last).sum, places * covered);
  if (plan_.duration > 0) {
    no_more("held up", counts.held_up.all().sum, plan_.duration);
    no_more("waited for what was lost", counts.lost_wait.all().sum, places * plan_.duration);
  }
  same("connected", opened_, counts.connected.get());
  same("opened again", opened_again_, counts.opened_again.get());
  same("closed", closed_, counts.closed.get());
  if (!receive_timestamps_) same("last answer", last, counts.last_answer_ns.load());
  std::uint64_t errors = counts.errors.others();
  for (const auto* kinds : {&counts.errors.of_load(), &counts.errors.of_server()})
    for (const auto& [kind, count] : *kinds) errors += count;
  same("failed", counts.failed.get(), errors);
  compare_histograms("response", response, counts.response, differences);
  // How much of it is the load's own depends on when its loop woke; more than all it can't be.
  same("values without the load's own lateness", answered, counts.least.count());
  for (const double percent : {50., 90., 99., 100.}) {
    if (plan_.timed_from_send) break;
    if (counts.least.percentile(percent) > counts.response.percentile(percent))
      differences.emplace_back("latency without the load's own lateness is longer than with it");
  }
  compare_histograms("service", service, counts.service, differences);
  compare_histograms("lateness", lateness, counts.lateness, differences);
  compare_histograms("connect", connect_, counts.connect, differences);
  if (!counts.wrong_reply.empty()) differences.push_back("wrong reply: " + counts.wrong_reply);
  return differences;
}

}  // namespace wiremark::load
