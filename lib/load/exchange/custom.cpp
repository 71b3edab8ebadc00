// A protocol of the user's own: requests as they were written, replies told apart by a framer.
#include "load/exchange/custom.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "load/exchange/tls_record.h"

namespace wiremark::load {

namespace {

// A reply of RESP begins so; a line of "*" or "$" says how many follow.
bool looks_like_resp(std::string_view bytes) noexcept {
  const std::size_t end = bytes.find("\r\n");
  if (end == bytes.npos || end < 2) return false;
  if (bytes.front() == '+' || bytes.front() == '-') return true;
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0 || c == '-'; };
  return std::string_view(":$*").contains(bytes.front()) &&
         std::ranges::all_of(bytes.substr(1, end - 1), is_digit);
}

// Three digits, as the greetings of SMTP, FTP and NNTP begin.
bool looks_like_status(std::string_view bytes) noexcept {
  return bytes.size() > 3 && (bytes[3] == ' ' || bytes[3] == '-') &&
         std::ranges::all_of(bytes.substr(0, 3), [](unsigned char c) { return std::isdigit(c); });
}

constexpr const char* kSpeaksFirst = "; a server that speaks first wants --greeting line";

// What the bytes look like, and what to try then; empty where nothing comes to mind. Only what is
// `first` on its connection can be a greeting.
std::string advice(std::string_view bytes, std::string_view form, bool first) {
  if (begins_like_tls(bytes))
    return "; this looks like TLS, which netload does not speak: name a port without it";
  if (bytes.starts_with("HTTP/") && form != Http::kScheme.reply)
    return "; this looks like HTTP: --reply http";
  if (first && (looks_like_status(bytes) || bytes.starts_with("SSH-"))) return kSpeaksFirst;
  if (looks_like_resp(bytes) && form != Redis::kScheme.reply)
    return "; this looks like RESP: --reply resp";
  return {};
}

// What a server may wait for at the end of a request; empty where it has all that its protocol
// asks for, as far as that is known.
std::string missing_end(std::string_view request, std::string_view form) {
  if (form == Http::kScheme.reply)
    return request.contains("\r\n\r\n") || request.contains("\n\n") ? "" : "empty line";
  const auto is_text = [](unsigned char c) { return std::isprint(c) != 0 || std::isspace(c) != 0; };
  return request.ends_with('\n') || !std::ranges::all_of(request, is_text) ? "" : "line end";
}

Result<Request> request_of(const std::string& text, std::string_view line_end) {
  Request request;
  if (text.starts_with('@')) {
    const auto bytes = text_or_file(text);
    if (!bytes) return std::unexpected(bytes.error());
    request.add_bytes(*bytes);
  } else if (auto added = request.add_text(text); !added) {
    return std::unexpected(added.error());
  }
  if (!request.text().ends_with(line_end)) request.add_bytes(line_end);
  if (request.size() == 0) return failed("a request must not be empty", {}, 0);
  return request;
}

Result<std::vector<Request>> requests_of(const CustomOptions& options) {
  const Scheme* const scheme = scheme_of(options.scheme);
  const std::string_view line_end = scheme ? scheme->line_end : std::string_view();
  std::vector<std::string> texts = options.send;
  if (!options.send_lines.empty()) {
    const auto lines = lines_of(options.send_lines);
    if (!lines) return std::unexpected(lines.error());
    texts.insert(texts.end(), lines->begin(), lines->end());
  }
  if (texts.empty() && reply_of(options, false) == Http::kScheme.reply) {
    auto request = http_request(options);
    if (!request) return std::unexpected(request.error());
    return std::vector{std::move(*request)};
  }
  if (texts.empty() && scheme) texts.emplace_back(scheme->request);
  std::vector<Request> requests;
  for (const std::string& text : texts) {
    auto request = request_of(text, line_end);
    if (!request) return std::unexpected(request.error());
    requests.push_back(std::move(*request));
  }
  return requests;
}

// What replies are compared with, as far as the options say.
Result<> add_expected(Custom& custom, const CustomOptions& options) {
  const Scheme* const scheme = scheme_of(options.scheme);
  if (custom.form == "echo") {
    custom.compared = Compared::request;
  } else if (options.expect == "same") {
    custom.compared = Compared::first;
  } else if (options.expect) {
    const auto text = text_or_file(*options.expect);
    if (!text) return std::unexpected(text.error());
    custom.compared = options.expect->starts_with('@') ? Compared::whole : Compared::beginning;
    custom.expected = *text;
  } else if (scheme && !scheme->expect.empty() && options.send.empty() &&
             options.send_lines.empty()) {
    custom.compared = Compared::beginning;
    custom.expected = scheme->expect;
  }
  return {};
}

// Of what is sent, to whatever host, and of what is expected.
std::uint64_t digest_of(const Custom& custom, const CustomOptions& options) {
  Digest digest;
  const std::string host =
      options.authority.empty() ? std::string() : fmt::format("\r\nHost: {}", options.authority);
  for (const Request& request : custom.requests) request.add_to(digest, host);
  digest.add(custom.form);
  digest.add(options.greeting);
  digest.add(fmt::format("{}", static_cast<int>(custom.compared)));
  digest.add(custom.expected);
  return digest.value();
}

bool ask_dns(const std::vector<Request>& requests) {
  return std::ranges::all_of(requests, [](const Request& request) {
    return wire::is_dns_question(as_bytes(request.text()));
  });
}

std::unique_ptr<ExchangePlan> plan_with(Form form, Custom custom,
                                        std::unique_ptr<ExchangePlan> greeting) {
  return std::visit(
      [&]<class P>(P& protocol) -> std::unique_ptr<ExchangePlan> {
        return std::make_unique<ProtocolPlan<P>>(std::move(custom), std::move(greeting),
                                                 std::move(protocol));
      },
      form);
}

}  // namespace

CustomPlan::CustomPlan(Custom custom, std::unique_ptr<ExchangePlan> greeting,
                       wire::Asked (*ask_of)(std::string_view))
    : custom_(std::move(custom)), greeting_(std::move(greeting)) {
  for (const Request& request : custom_.requests) {
    asked_.push_back(ask_of(request.text()));
    asked_.back().size = request.size();
  }
  lasting_ = std::ranges::none_of(custom_.requests, &Request::has_fields);
}

std::pair<std::string, std::string> CustomPlan::contents() const {
  if (custom_.requests.size() == 1) return {"send", quoted(custom_.requests.front().text())};
  const auto [least, most] = std::ranges::minmax(custom_.requests, {}, &Request::size);
  return {"send", fmt::format("{} requests of {} to {} bytes in turn", custom_.requests.size(),
                              least.size(), most.size())};
}

std::pair<std::string, std::string> CustomPlan::checked() const {
  switch (custom_.compared) {
    case Compared::request:
      return {"verify", "every reply compared with its request"};
    case Compared::first:
      return {"verify", "every reply compared with the first to its request"};
    case Compared::beginning:
      return {"verify", "every reply begins with " + quoted(custom_.expected)};
    case Compared::whole:
      return {"verify", fmt::format("every reply compared with the {} bytes expected",
                                    custom_.expected.size())};
    case Compared::nothing:
      break;
  }
  if (one_way()) return {};
  return {"replies", fmt::format("framed ({}), not compared: --expect says with what", name())};
}

std::string CustomPlan::unanswered() const {
  for (const Request& request : custom_.requests) {
    const std::string end = missing_end(request.text(), name());
    if (!end.empty())
      return fmt::format("{} has no {}, for which a server may wait", quoted(request.text()), end);
  }
  return {};
}

std::string CustomPlan::note() const {
  if (!one_way()) return {};
  return "one way: a message is done with, and its latency over, when the kernel has taken it; "
         "that it arrived nobody knows";
}

Refusal CustomPlan::no_reply(const char* why, const Arrived& got) const {
  return {fmt::format("{}: no such reply", name()),
          fmt::format("got {}, which is no reply as --reply '{}' has it: {}{}", quoted(got.bytes),
                      name(), why, advice_on(got))};
}

Refusal CustomPlan::too_long(std::uint64_t size, const Arrived& got) const {
  return {"a reply longer than --max-frame",
          fmt::format("a reply that begins with {} would have {} bytes or more, and --max-frame is "
                      "{}: raise it, or let --reply say where a reply ends{}",
                      quoted(got.bytes), size, custom_.size_max, advice_on(got))};
}

Refusal CustomPlan::unlike(const Arrived& got, std::string_view expected, std::size_t at) const {
  return {"wrong reply", fmt::format("got {} where {} was expected; they differ from byte {} on{}",
                                     quoted(got.bytes), quoted(expected), at, advice_on(got))};
}

// Before a request was answered no reply can have been one too many.
Refusal CustomPlan::unasked(const Arrived& got) const {
  const char* try_this =
      "; does the server send two replies to one request, or does --reply end "
      "one too early?";
  if (got.offset == 0)
    try_this = greeting_ ? "; does the greeting end as --greeting says?" : kSpeaksFirst;
  return {"bytes came that nothing asked for",
          fmt::format("{} came at byte {} {}, and no request was unanswered{}", quoted(got.bytes),
                      got.offset, greeting_ ? "behind a greeting" : "of a connection", try_this)};
}

std::string CustomPlan::unfinished(std::uint64_t size, const Arrived& got) const {
  return fmt::format("{} bytes of a reply had come that did not end as --reply '{}' has it: {}{}",
                     size, name(), quoted(got.bytes), advice_on(got));
}

std::string CustomPlan::error_reply(std::string_view bytes) const {
  return "the first error reply: " + quoted(bytes, 160);
}

std::string CustomPlan::advice_on(const Arrived& got) const {
  return advice(got.bytes, name(), got.offset == 0 && !greeting_);
}

Result<std::string> take_scheme(const std::string& target, CustomOptions& options) {
  const std::size_t end = target.find("://");
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0; };
  if (end == target.npos || !std::ranges::all_of(target.substr(0, end), is_letter)) return target;
  options.scheme = target.substr(0, end);
  const Scheme* const scheme = scheme_of(options.scheme);
  if (!scheme) {
    const bool tls = options.scheme == "https" || options.scheme == "rediss";
    return failed(fmt::format("netload does not speak {}://: {}", options.scheme,
                              tls ? "it has no TLS; put the load on a port without it"
                                  : "it knows " + known_schemes() +
                                        ", and any protocol by --send and --reply"),
                  {}, 0);
  }
  const std::size_t path = std::min(target.find('/', end + 3), target.size());
  options.authority = target.substr(end + 3, path - end - 3);
  options.path = target.substr(path);
  if (!scheme->has_paths && options.path.size() > 1 && options.path != scheme->path) {
    return failed(
        fmt::format("netload cannot ask for {} of {}://: leave it out{}{}", options.path,
                    options.scheme, scheme->path.empty() ? "" : ", which means ", scheme->path),
        {}, 0);
  }
  const bool has_port =
      options.authority.find(':', options.authority.rfind(']') + 1) != std::string::npos;
  return options.authority + (has_port ? "" : ":" + std::to_string(scheme->port));
}

bool is_custom(const CustomOptions& options) { return options != CustomOptions(); }

std::string reply_of(const CustomOptions& options, bool datagrams) {
  if (!options.reply.empty()) return options.reply;
  if (const Scheme* const scheme = scheme_of(options.scheme)) return std::string(scheme->reply);
  return std::string(datagrams ? kDatagram : "echo");
}

bool has_ids(const CustomOptions& options) {
  const auto requests = requests_of(options);
  return requests && has_ids(*requests);
}

Result<> check_reply(const std::string& form) {
  if (const auto parsed = parse_form(form); !parsed) return std::unexpected(parsed.error());
  return {};
}

Result<> check_statuses(const std::string& text) {
  if (const auto statuses = parse_statuses(text); !statuses)
    return std::unexpected(statuses.error());
  return {};
}

Result<> check_request(const std::string& text) {
  Request request;
  return text.starts_with('@') ? Result<>() : request.add_text(text);
}

std::string conflict_in(const CustomOptions& options, bool datagrams, bool verify) {
  const std::string form = reply_of(options, datagrams);
  const bool sends = !options.send.empty() || !options.send_lines.empty();
  const bool asks_http = !options.method.empty() || !options.headers.empty() || options.body;
  if (asks_http && form != Http::kScheme.reply)
    return "--method, --header and --body are of HTTP: name http://HOST:PORT, or --reply http";
  if (!options.expect_status.empty() && form != Http::kScheme.reply)
    return "--expect-status is of HTTP: name http://HOST:PORT, or --reply http";
  if (asks_http && sends)
    return "--send is the whole request: leave --method, --header and --body out";
  if (!sends && options.scheme.empty() && form != Http::kScheme.reply)
    return "say what is to be sent: --send TEXT, or --send-lines FILE";
  if (datagrams && !options.greeting.empty())
    return "--greeting is of connections, which UDP has not";
  if (datagrams && form == Http::kScheme.reply) return "HTTP is not spoken over UDP";
  if (!datagrams && form == kDatagram) return "--reply datagram is of UDP: name udp:HOST:PORT";
  if (form == kOneWay && options.expect) return "--reply none awaits no reply: leave --expect out";
  if (options.greeting == kOneWay) return "--greeting says where what the server says first ends";
  if (options.expect && (!verify || form == "echo"))
    return verify ? "--reply echo compares each reply with its request: leave --expect out, or say "
                    "by --reply where a reply ends"
                  : "--no-verify compares nothing: leave it or --expect out";
  return {};
}

Result<std::unique_ptr<ExchangePlan>> plan_custom(const CustomOptions& options, bool datagrams,
                                                  bool verify, std::uint64_t size_max,
                                                  std::uint64_t seed) {
  auto requests = requests_of(options);
  if (!requests) return std::unexpected(requests.error());
  Custom custom{.form = reply_of(options, datagrams),
                .requests = std::move(*requests),
                .size_max = size_max,
                .seed = seed,
                .datagrams = datagrams};
  if (options.reply.empty() && custom.form == kDatagram && ask_dns(custom.requests))
    custom.form = Dns::kReply;
  auto form = parse_form(custom.form);
  if (!form) return std::unexpected(form.error());
  if (Http* const http = std::get_if<Http>(&*form); http && !options.expect_status.empty()) {
    const auto wanted = parse_statuses(options.expect_status);
    if (!wanted) return std::unexpected(wanted.error());
    http->wanted = *wanted;
  }
  if (Dns* const dns = std::get_if<Dns>(&*form)) dns->framer = Dns::Framer(datagrams);
  if (verify) {
    if (auto added = add_expected(custom, options); !added) return std::unexpected(added.error());
  }
  custom.digest = digest_of(custom, options);
  std::unique_ptr<ExchangePlan> greeting;
  if (!options.greeting.empty()) {
    auto end = parse_form(options.greeting);
    if (!end) return std::unexpected(end.error());
    greeting = plan_with(std::move(*end),
                         {.form = options.greeting, .requests = {Request()}, .size_max = size_max},
                         nullptr);
  }
  return plan_with(std::move(*form), std::move(custom), std::move(greeting));
}

}  // namespace wiremark::load
