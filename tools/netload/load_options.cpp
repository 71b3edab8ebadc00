// The options of netload: what follows for those that were not given.
#include "netload/load_options.h"

#include "base/cpus.h"
#include "measure/ratio.h"
#include "netload/conflicts.h"

namespace wiremark::tools {

namespace {

// The default of --timeout. After this long a stream is stuck, and a datagram was lost on its way.
constexpr Nanoseconds kStreamTimeout = 5 * kSecond;
constexpr Nanoseconds kDatagramTimeout = kSecond;
// The defaults of --duration: of one run, of each of many, and of each of --bypass.
constexpr Nanoseconds kRunLength = 10 * kSecond;
constexpr Nanoseconds kRoundLength = 2 * kSecond;
constexpr Nanoseconds kBypassLength = kSecond / 2;
// The default of --size with --bypass.
constexpr std::size_t kBypassSize = 64;

// Whether a request waits for the reply to the one before, unless --pipeline says otherwise: few
// servers take several HTTP requests at once, and what was sent behind the last one of a
// connection is lost.
bool takes_turns(const LoadOptions& options) {
  const load::CustomOptions& custom = options.exchange.custom;
  const bool datagrams = over_udp(options);
  const std::string reply = load::reply_of(custom, datagrams);
  if (!load::is_custom(options.exchange) || reply == load::kOneWay) return false;
  return datagrams ? !load::has_ids(custom) : reply == "http";
}

// Each target is completed again before its runs: here only its errors are wanted.
std::string error_of_targets(const LoadOptions& options) {
  for (const std::string& target : options.compare.targets) {
    LoadOptions one = for_target(options, target);
    if (std::string wrong = complete(one); !wrong.empty()) return target + ": " + wrong;
  }
  return {};
}

// The two ends of a run on one machine must not share a processor if they need not.
void share_out_cpus(LoadOptions& options) {
  const std::vector<int> allowed = allowed_cpus();
  if (allowed.size() < 2 || options.threads.threads > 1) return;
  if (!options.server_cpus.empty() || !options.threads.cpus.empty()) return;
  options.server_cpus = {allowed.back()};
  options.threads.cpus = {allowed.front()};
}

bool ends_are_apart(const LoadOptions& options) {
  return !options.threads.cpus.empty() && !options.server_cpus.empty() &&
         options.threads.cpus.front() != options.server_cpus.front();
}

}  // namespace

LoadOptions for_target(const LoadOptions& options, const std::string& target) {
  LoadOptions one = options;
  one.target = target;
  one.compare = {};
  one.rounds = 0;
  if (one.time.duration == 0 && one.requests == 0) one.time.duration = kRoundLength;
  return one;
}

bool over_udp(const LoadOptions& options) { return options.target.starts_with("udp:"); }

std::string complete(LoadOptions& options) {
  if (auto address = load::take_scheme(options.target, options.exchange.custom))
    options.target = *address;
  options.exchange.verify = !options.no_verify;
  if (std::string wrong = conflict_in(options); !wrong.empty()) return wrong;
  if (options.rounds == 0) options.rounds = measure::kPairedRoundsMin;
  if (!options.compare.targets.empty()) return error_of_targets(options);
  net::ReactorOptions& reactor = options.backend.reactor;
  reactor.receive_timestamps =
      options.receive_timestamps.value_or(reactor.wait.mode == net::WaitPolicy::Mode::batch);
  if (options.pipeline == 0 && takes_turns(options)) options.pipeline = 1;
  if (options.bypass && !options.exchange.size)
    options.exchange.size = load::SizeRange{kBypassSize, kBypassSize};
  if (options.timeout == kNever)
    options.timeout = over_udp(options) ? kDatagramTimeout : kStreamTimeout;
  const bool single = asks_for_many(options).empty();
  if (options.time.duration == 0 && options.requests == 0)
    options.time.duration = options.bypass ? kBypassLength : single ? kRunLength : kRoundLength;
  if (single) keep_intervals(options.time, options.output);
  if (options.target.empty()) share_out_cpus(options);
  if (options.bypass && !ends_are_apart(options))
    return "--bypass needs a processor for each end: give it two, or name them with --cpus and "
           "--server-cpus";
  return {};
}

}  // namespace wiremark::tools
