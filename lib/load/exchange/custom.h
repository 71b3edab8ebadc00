// A protocol of the user's own: requests as they were written, replies told apart by a framer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "load/exchange/exchange.h"
#include "load/exchange/forms.h"
#include "load/exchange/request.h"
#include "wire/framing/step.h"

namespace wiremark::load {

/// What each reply is compared with.
enum class Compared : std::uint8_t {
  nothing,
  request,    ///< It is the request again.
  first,      ///< The first reply to that request, on this thread.
  beginning,  ///< A text that it begins with.
  whole,      ///< A text that it is.
};

/// What a custom exchange was made of.
struct Custom {
  std::string form;  ///< --reply, as it was written.
  std::vector<Request> requests;
  Compared compared = Compared::nothing;
  std::string expected = {};   ///< beginning, whole.
  std::uint64_t size_max = 0;  ///< A reply is no longer.
  std::uint64_t seed = 1;
  bool datagrams = false;
  std::uint64_t digest = 0;  ///< As ExchangePlan::digest() has it.
};

/// What all of them share, whatever frames the replies.
class CustomPlan : public ExchangePlan {
 public:
  /// `ask_of` says what the framer is told of a request, but for its size.
  CustomPlan(Custom custom, std::unique_ptr<ExchangePlan> greeting,
             wire::Asked (*ask_of)(std::string_view));

  std::string_view name() const noexcept final { return custom_.form; }
  std::pair<std::string, std::string> contents() const final;
  std::optional<std::uint64_t> digest() const final { return custom_.digest; }
  bool verifies() const noexcept final { return custom_.compared != Compared::nothing; }
  bool has_ids() const noexcept final { return one_way() || load::has_ids(custom_.requests); }
  std::pair<std::string, std::string> checked() const final;
  std::string unanswered() const final;
  std::string note() const final;

  const Custom& custom() const noexcept { return custom_; }
  const ExchangePlan* greeting() const noexcept { return greeting_.get(); }
  bool one_way() const noexcept { return custom_.form == kOneWay; }
  const std::vector<wire::Asked>& asked() const noexcept { return asked_; }
  /// Whether no request differs from message to message.
  bool lasting() const noexcept { return lasting_; }

  const Request& request(std::uint32_t sequence) const noexcept {
    return custom_.requests.size() == 1 ? custom_.requests.front()
                                        : custom_.requests[sequence % custom_.requests.size()];
  }
  wire::Asked asked(std::uint32_t sequence) const noexcept {
    return custom_.requests.size() == 1 ? asked_.front()
                                        : asked_[sequence % custom_.requests.size()];
  }

  /// What came, and how many bytes of whole replies had come before it over its connection.
  struct Arrived {
    std::string_view bytes;
    std::uint64_t offset;
  };

  // The sentences, with what arrived in them.
  Refusal no_reply(const char* why, const Arrived& got) const;
  Refusal too_long(std::uint64_t size, const Arrived& got) const;
  /// They differ from byte `at` on.
  Refusal unlike(const Arrived& got, std::string_view expected, std::size_t at) const;
  Refusal unasked(const Arrived& got) const;
  std::string unfinished(std::uint64_t size, const Arrived& got) const;
  /// About the first error reply.
  std::string error_reply(std::string_view bytes) const;

 private:
  std::string advice_on(const Arrived& got) const;

  Custom custom_;
  std::unique_ptr<ExchangePlan> greeting_;
  std::vector<wire::Asked> asked_;  // By request.
  bool lasting_;
};

template <class Protocol>
class CustomExchange final : public Exchange {
 public:
  CustomExchange(const CustomPlan& plan, const Protocol& protocol, std::size_t clients)
      : Exchange(plan.lasting(), plan.one_way()),
        plan_(plan),
        protocol_(protocol),
        compared_(plan.custom().compared),
        size_max_(plan.custom().size_max),
        lines_(clients),
        firsts_(compared_ == Compared::first ? plan.custom().requests.size() : 0) {
    if (plan.greeting()) greeting_ = plan.greeting()->exchange(clients);
  }

  void opened(std::size_t client) override {
    lines_[client] = {};
    if (greeting_) greeting_->opened(client);
  }

  Bytes request(MessageId id) override {
    const Request& request = plan_.request(id.sequence);
    if (!request.has_fields()) return as_bytes(request.text());
    return made(id, request, request_);
  }

  bool repeatable(MessageId id) const override {
    if constexpr (requires { Protocol::repeatable(std::string_view()); })
      return Protocol::repeatable(plan_.request(id.sequence).text());
    else
      return false;
  }

  Reply reply(MessageId id, Bytes bytes) override {
    Line& line = lines_[id.client];
    const wire::Step step = protocol_.framer.take(line.state, bytes, plan_.asked(id.sequence));
    if (step.wrong) [[unlikely]]
      return refuse(plan_.no_reply(step.wrong, {begin_of(line, bytes), line.offset}));
    const std::uint64_t size = line.read + step.taken;
    if (size + step.ahead > size_max_) [[unlikely]]
      return refuse(plan_.too_long(size + step.ahead, {begin_of(line, bytes), line.offset}));
    if (!step.whole) [[unlikely]] {
      if (plan_.custom().datagrams) return cut_short(line, bytes);
      keep(line, bytes.first(step.taken), step.content);
      return {.consumed = step.taken};
    }
    Reply reply{.consumed = step.taken,
                .size = static_cast<std::uint32_t>(size),
                .kind = kind_of(step),
                .last = step.last};
    judge(line, id, bytes, step, reply);
    line.offset += size;
    if (line.read > 0) forget(line);
    return reply;
  }

  Reply closed(MessageId id) override {
    Line& line = lines_[id.client];
    if constexpr (requires { protocol_.framer.close(line.state); }) {
      const wire::Step step = protocol_.framer.close(line.state);
      if (!step.whole) return {};
      Reply reply{
          .size = static_cast<std::uint32_t>(line.read), .kind = kind_of(step), .last = true};
      judge(line, id, {}, step, reply);
      return reply;
    }
    return {};
  }

  std::optional<std::uint32_t> sequence_of(MessageId next, Bytes datagram) override {
    if (next.sequence == 0) return std::nullopt;
    const std::uint32_t newest = next.sequence - 1;
    const Request& request = plan_.request(newest);
    if (!request.id_at()) return newest;
    const auto id = request.id_in(as_text(datagram));
    if (!id) return std::nullopt;
    const std::uint32_t back = (newest - *id) & 0xffff;
    if (back > newest) return std::nullopt;
    return newest - back;
  }

  Refusal refusal() const override { return refusal_; }
  Exchange* greeting() noexcept override { return greeting_.get(); }
  Refusal unasked(std::size_t client, Bytes bytes) override {
    return plan_.unasked({as_text(bytes), lines_[client].offset});
  }
  std::string unfinished(std::size_t client) const override {
    const Line& line = lines_[client];
    return line.read > 0 ? plan_.unfinished(line.read, {line.begin, line.offset}) : std::string();
  }

 private:
  struct Line {
    typename Protocol::Framer::State state = {};
    std::uint64_t offset = 0;  // Bytes of whole replies since the connection opened.
    std::uint64_t read = 0;    // Bytes of the reply that has begun.
    std::string begin = {};    // The first of those.
    std::string content = {};  // Its content so far, where it will be compared.
  };

  // Enough for the first line of an error.
  static constexpr std::size_t kBeginMax = 200;

  Bytes made(MessageId id, const Request& request, std::vector<std::byte>& to) {
    to.resize(request.size());
    request.write(id, plan_.custom().seed, to.data());
    return to;
  }

  // `begin`: the first kBeginMax bytes of the reply.
  bool is_error(const wire::Step& step, std::string_view begin) const noexcept {
    if constexpr (requires { protocol_.is_error(step, begin); })
      return protocol_.is_error(step, begin);
    else
      return step.error;
  }

  static std::uint16_t kind_of(const wire::Step& step) noexcept {
    if constexpr (requires { Protocol::kind(step); })
      return Protocol::kind(step);
    else
      return 0;
  }

  // Whether an error is what --expect names, and so no error: its text must be that of one. Of
  // HTTP it is the body, which says nothing of the status.
  static bool names_error(std::string_view expected) noexcept {
    if constexpr (requires { Protocol::names_error(expected); })
      return Protocol::names_error(expected);
    else
      return false;
  }

  static std::string begin_of(const Line& line, Bytes bytes) {
    return line.begin + std::string(as_text(bytes.first(std::min(bytes.size(), kBeginMax))));
  }

  Reply refuse(Refusal why) {
    refusal_ = std::move(why);
    return {.refused = true};
  }

  Reply cut_short(Line& line, Bytes bytes) {
    line = {};
    return refuse(plan_.no_reply("the datagram ends before the reply does", {as_text(bytes), 0}));
  }

  static void keep_begin(Line& line, Bytes bytes) {
    if (line.begin.size() < kBeginMax)
      line.begin += as_text(bytes.first(std::min(bytes.size(), kBeginMax - line.begin.size())));
  }

  void keep(Line& line, Bytes bytes, Bytes content) {
    keep_begin(line, bytes);
    line.read += bytes.size();
    if (compared_ != Compared::nothing) line.content += as_text(content);
  }

  static void forget(Line& line) {
    line.read = 0;
    line.begin.clear();
    line.content.clear();
  }

  // A whole reply, which ends with what was taken of `bytes`.
  void judge(Line& line, MessageId id, Bytes bytes, const wire::Step& step, Reply& reply) {
    std::string_view begin = as_text(bytes.first(std::min(step.taken, kBeginMax)));
    if (line.read > 0) {
      keep_begin(line, bytes.first(step.taken));
      begin = line.begin;
    }
    const bool error = is_error(step, begin);
    if (compared_ != Compared::nothing || error) check(line, id, step, begin, error, reply);
  }

  // Whether it is as expected, or says that its request failed.
  void check(Line& line, MessageId id, const wire::Step& step, std::string_view begin, bool error,
             Reply& reply) {
    std::string_view content = as_text(step.content);
    if (line.read > 0) content = line.content += content;
    const auto unlike = unlike_expected(content, id, step.status, error);
    const bool named = compared_ == Compared::whole || compared_ == Compared::beginning;
    if (error && !(named && !unlike && names_error(plan_.custom().expected))) {
      reply.error = true;
      refusal_.kind = Protocol::error(step, begin);
      refusal_.detail = std::exchange(told_, true) ? std::string() : plan_.error_reply(begin);
    } else if (unlike) {
      reply = refuse(plan_.unlike({content, line.offset}, unlike->expected, unlike->at));
    }
  }

  // What a reply should have been, and from where on it is something else.
  struct Unlike {
    std::string_view expected;
    std::size_t at;
  };

  std::optional<Unlike> unlike_expected(std::string_view content, MessageId id,
                                        std::uint16_t status, bool error) {
    switch (compared_) {
      case Compared::nothing:
        break;
      case Compared::request:
        return difference(content, as_text(made(id, plan_.request(id.sequence), compared_with_)));
      case Compared::first:
        if (!error) return unlike_first(content, id, status);
        break;
      case Compared::beginning: {
        const std::string_view expected = expected_of(content, id);
        return difference(content.substr(0, expected.size()), expected);
      }
      case Compared::whole:
        return difference(content, expected_of(content, id));
    }
    return std::nullopt;
  }

  static std::optional<Unlike> difference(std::string_view got, std::string_view expected) {
    if (got == expected) return std::nullopt;
    const auto differ = std::ranges::mismatch(got, expected);
    return Unlike{expected, static_cast<std::size_t>(differ.in1 - got.begin())};
  }

  // --expect, with the id of the message in it where the reply has that: nobody can expect one id.
  std::string_view expected_of(std::string_view content, MessageId id) {
    const std::string& expected = plan_.custom().expected;
    const Request& request = plan_.request(id.sequence);
    if (request.id_in(content) != static_cast<std::uint16_t>(id.sequence)) return expected;
    expected_ = expected;
    const std::size_t at = *request.id_at();
    for (std::size_t i = at; i < std::min(at + Request::kIdWidth, expected_.size()); ++i)
      expected_[i] = content[i];
    return expected_;
  }

  std::optional<Unlike> unlike_first(std::string_view content, MessageId id, std::uint16_t status) {
    const Request& request = plan_.request(id.sequence);
    First& first = firsts_[id.sequence % firsts_.size()];
    if (first.known && status == first.status && content == first.content) return std::nullopt;
    std::string_view sent;
    if (request.has_fields()) sent = as_text(made(id, request, compared_with_));
    if (!first.known) {
      first = {true, status, std::string(sent), std::string(content)};
      return std::nullopt;
    }
    const std::size_t at = request.difference({sent, content}, {first.request, first.content});
    if (status == first.status && at == content.npos) return std::nullopt;
    return Unlike{first.content, std::min(at, content.size())};
  }

  struct First {
    bool known = false;
    std::uint16_t status = 0;
    std::string request = {};  // Where it has fields.
    std::string content = {};
  };

  const CustomPlan& plan_;
  const Protocol protocol_;
  const Compared compared_;
  const std::uint64_t size_max_;
  std::vector<Line> lines_;
  std::vector<First> firsts_;  // By request, where replies are compared with them.
  std::vector<std::byte> request_;
  std::vector<std::byte> compared_with_;
  std::string expected_;  // --expect with the id of a message in it.
  std::unique_ptr<Exchange> greeting_;
  Refusal refusal_;
  bool told_ = false;  // The first error reply.
};

template <class Protocol>
class ProtocolPlan final : public CustomPlan {
 public:
  ProtocolPlan(Custom custom, std::unique_ptr<ExchangePlan> greeting, Protocol protocol)
      : CustomPlan(std::move(custom), std::move(greeting), asked_of),
        protocol_(std::move(protocol)) {}

  std::unique_ptr<Exchange> exchange(std::size_t clients) const override {
    return std::make_unique<CustomExchange<Protocol>>(*this, protocol_, clients);
  }
  bool tells_kinds() const noexcept override {
    if constexpr (requires { Protocol::has_kind(wire::Asked()); })
      return std::ranges::any_of(asked(), Protocol::has_kind);
    else
      return requires { Protocol::name_of_kind(1); };
  }
  std::string name_of_kind(std::uint16_t kind) const override {
    if constexpr (requires { Protocol::name_of_kind(kind); })
      return Protocol::name_of_kind(kind);
    else
      return {};
  }

 private:
  static wire::Asked asked_of([[maybe_unused]] std::string_view request) {
    if constexpr (requires { Protocol::asked(request); })
      return Protocol::asked(request);
    else
      return {};
  }

  Protocol protocol_;
};

/// `size_max`: --max-frame. Errors: a file that cannot be read.
Result<std::unique_ptr<ExchangePlan>> plan_custom(const CustomOptions& options, bool datagrams,
                                                  bool verify, std::uint64_t size_max,
                                                  std::uint64_t seed);

}  // namespace wiremark::load
