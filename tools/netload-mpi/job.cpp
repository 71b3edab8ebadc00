// One rank of a load: its netload, and what it says to the others.
#include "netload-mpi/job.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <optional>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/fd.h"
#include "base/output_file.h"
#include "net/address.h"
#include "netload-mpi/agreement.h"
#include "netload-mpi/child.h"
#include "netload-mpi/gathering.h"
#include "netload/launcher.h"
#include "netload/sharing.h"
#include "printing.h"
#include "report.h"

namespace wiremark::tools {

namespace {

// How long a turn waits for the netload, and so how late a rank hears of another: what asks MPI
// more often costs a processor that the load may need.
constexpr Nanoseconds kTurn = 10 * kMillisecond;
// How long an interrupted job waits for the results of its ranks. The rest of the time until mpirun
// kills them all goes into adding up those that came, and into saying where they are.
Nanoseconds stop_patience() { return Ranks::time_to_end() * 7 / 10; }
Nanoseconds file_patience() { return Ranks::time_to_end() * 4 / 10; }
// What rank 0 says with `done` where it could not deliver the sum.
constexpr const char* kKeep = "keep";
// What a rank says with `answer` where it will begin at the moment of a proposal.
constexpr const char* kSet = "set";

// The name of this machine and the address from which it loads the target: machines may share a
// name, as network namespaces do.
std::string host_towards(const LoadOptions& options) {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  const auto addresses = net::Address::resolve(options.target, options.family.family());
  for (const net::Address& address : addresses.value_or(std::vector<net::Address>())) {
    if (address.is_unix()) break;
    const Fd socket(::socket(address.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!socket || ::connect(socket.get(), address.data(), address.size()) != 0) continue;
    if (const auto own = net::Address::of_socket(socket.get()))
      return std::string(name) + " " + own->host();
  }
  return name;
}

class Job {
 public:
  Job(Ranks& ranks, const LoadOptions& options, const std::vector<std::string>& arguments,
      const net::Stop& stop)
      : ranks_(ranks),
        options_(options),
        arguments_(arguments),
        stop_(stop),
        host_(host_towards(options)),
        gathering_(options, arguments, ranks.size()) {}

  int run();

 private:
  bool leads() const noexcept { return ranks_.rank() == 0; }
  std::vector<std::string> arguments_of_child() const;
  void hear_child();
  void hear_word(const std::string& word);
  void hear(const Message& message);
  void start(const std::string& text);
  void end_if_begun_too_early();
  void tell_outcome(const std::string& lost);
  void lead();
  void agree();
  void finish(bool complete);
  void stop_if_asked();
  void tell_file();

  Ranks& ranks_;
  const LoadOptions& options_;
  const std::vector<std::string>& arguments_;
  const net::Stop& stop_;
  std::string host_;
  Gathering gathering_;
  std::optional<Child> child_;
  double clock_ahead_s_ = 0;
  std::deque<int> unanswered_;  // Numbers of the proposals to which the netload has said nothing.
  bool child_begun_ = false;
  std::string result_;
  std::string file_;  // Where the result stands until rank 0 has it.
  bool told_outcome_ = false;
  bool told_file_ = false;
  std::optional<Nanoseconds> stopped_;
  bool over_ = false;
  int code_ = kDone;
  // Of rank 0.
  int ready_ = 0;
  bool comparing_ = false;  // All have been told to compare their clocks.
  std::optional<Agreement> agreement_;
  std::string folder_;  // Of the results, on each machine.
  bool decided_ = false;
  bool begun_ = false;
};

std::vector<std::string> Job::arguments_of_child() const {
  std::vector<std::string> all = what_shares_have_in_common(arguments_);
  all.erase(all.begin());  // The name of this program.
  all.insert(all.end(),
             {"--json-lines", "--share", fmt::format("{}/{}", ranks_.rank(), ranks_.size())});
  if (!options_.output.quiet) all.emplace_back("--quiet");
  if (gathering_.draws()) all.insert(all.end(), {"--interval", "1s"});
  return all;
}

void Job::tell_outcome(const std::string& lost) {
  told_outcome_ = true;
  const Outcome outcome{host_, clock_ahead_s_, lost, lost.empty() ? result_ : std::string()};
  ranks_.send(0, Word::outcome, outcome.to_text());
}

// What the netload says: when it begins, a line, its result; or that it has ended.
void Job::hear_child() {
  child_->listen(kTurn);
  while (const auto word = child_->take_word()) hear_word(*word);
  while (const auto line = child_->take_line()) {
    if (line->contains("\"wiremark.interval/")) {
      ranks_.send(0, Word::interval, *line);
    } else {
      result_ = *line + '\n';
    }
  }
  if (!child_->ended() || told_outcome_) return;
  if (!result_.empty() && !file_.empty()) {
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(file_).parent_path(), ignored);
    // Only in case rank 0 does not live to print it.
    if (!replace_file(file_, result_, Links::replaced)) file_.clear();
  }
  tell_outcome(result_.empty() ? child_->end_in_words() : std::string());
}

void Job::hear_word(const std::string& word) {
  if (word == "ready") return ranks_.send(0, Word::ready, {});
  if (word == "begun") {
    child_begun_ = true;
  } else if (!unanswered_.empty()) {
    ranks_.send(0, Word::answer, fmt::format("{} {}", unanswered_.front(), word));
    unanswered_.pop_front();
  }
  end_if_begun_too_early();
}

void Job::start(const std::string& text) {
  int number = 0;
  double at = 0;
  std::string folder;
  if (!(std::istringstream(text) >> number >> at >> folder) || !child_) return;
  std::error_code none;
  file_ = std::filesystem::temp_directory_path(none) / folder /
          fmt::format("rank-{}.json", ranks_.rank());
  unanswered_.push_back(number);
  child_->start_at(at + clock_ahead_s_);
  end_if_begun_too_early();
}

// Another rank was late, and the news of the later start did not arrive here in time.
void Job::end_if_begun_too_early() {
  if (!child_begun_ || unanswered_.empty() || told_outcome_) return;
  child_->stop();
  tell_outcome("its load had begun when it heard of another start, since a rank was late");
}

void Job::hear(const Message& message) {
  switch (message.word) {
    case Word::ready:
      ++ready_;
      break;
    case Word::sync:
      clock_ahead_s_ = ranks_.clock_ahead();
      if (leads()) agreement_.emplace(ranks_.size());
      break;
    case Word::start:
      start(message.text);
      break;
    case Word::answer: {
      std::istringstream text(message.text);
      int number = 0;
      std::string word;
      if (agreement_ && text >> number >> word)
        agreement_->take(message.from, number, word == kSet);
      break;
    }
    case Word::stop:
      if (child_) child_->stop();
      break;
    case Word::interval:
      gathering_.take_line(message.from, message.text);
      break;
    case Word::outcome:
      gathering_.take_outcome(message.from, message.text);
      break;
    case Word::done:
      over_ = true;
      if (message.text == kKeep) tell_file();
      break;
  }
}

// All begin, or none: a load without one of its parts is not the load that was asked for.
void Job::lead() {
  if (!decided_ && (gathering_.has_any() || stop_.requested())) {
    decided_ = true;
    if (!stop_.requested()) gathering_.lose_all("it ended before the load began");
    ranks_.send_to_all(Word::stop, {});
  } else if (!comparing_ && ready_ == ranks_.size()) {
    comparing_ = true;
    ranks_.send_to_all(Word::sync, {});
  } else if (!decided_ && agreement_) {
    agree();
  }
  const bool waited = stopped_ && now_ns() - *stopped_ > stop_patience();
  if (gathering_.complete() || waited) finish(gathering_.complete());
}

void Job::agree() {
  if (const auto proposal = agreement_->propose(now_ns())) {
    const double now = clock_of_day();
    if (folder_.empty())
      folder_ = fmt::format("netload-mpi-{}-{}", static_cast<long>(now), ::getpid());
    ranks_.send_to_all(Word::start,
                       fmt::format("{} {:.9f} {}", proposal->number,
                                   now + static_cast<double>(proposal->lead) / kSecond, folder_));
  }
  if (agreement_->reached()) decided_ = begun_ = true;
  if (!agreement_->given_up()) return;
  const Outcome lost{
      .host = {}, .lost = "it has agreed to none of the moments at which to begin", .result = {}};
  for (const int rank : agreement_->missing()) gathering_.take_outcome(rank, lost.to_text());
  finish(false);
}

void Job::finish(bool complete) {
  over_ = true;
  const auto code = begun_ ? gathering_.deliver_sum("it was ended before it had a result")
                           : Result<int>(gathering_.say_why_not(stop_.requested()));
  code_ = code ? *code : cannot("netload-mpi", code.error());
  const bool heard = !stopped_ || Ranks::heard_to_the_end() || is_file(options_.output.json);
  ranks_.send_to_all(Word::done, code && heard ? "" : kKeep);
  if (!code || !heard) tell_file();
  // MPI_Finalize waits for ranks that are no more.
  if (!complete) std::_Exit(ending("netload-mpi", code_));
}

void Job::stop_if_asked() {
  if (!stop_.requested()) return;
  if (!stopped_) stopped_ = now_ns();
  if (child_) child_->stop();
  if (!leads() && told_outcome_ && now_ns() - *stopped_ >= file_patience()) tell_file();
}

// That rank 0 has no use for the result, or does not say that it has.
void Job::tell_file() {
  if (told_file_ || file_.empty() || result_.empty()) return;
  told_file_ = true;
  print_err("netload-mpi: rank 0 has not delivered the result of {}: it is in {}\n",
            name_of_rank(ranks_.rank(), host_), file_);
}

int Job::run() {
  auto started = Child::start(arguments_of_child());
  if (started) {
    child_.emplace(std::move(*started));
  } else {
    tell_outcome(started.error().message());
  }
  while (!over_) {
    if (child_ && !told_outcome_) {
      hear_child();
    } else {
      std::this_thread::sleep_for(std::chrono::nanoseconds(kTurn));
    }
    while (const auto message = ranks_.take()) hear(*message);
    stop_if_asked();
    if (leads()) lead();
  }
  if (!file_.empty() && !told_file_) {
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
    std::filesystem::remove(std::filesystem::path(file_).parent_path(), ignored);
  }
  return code_;
}

}  // namespace

int run_job(Ranks& ranks, const LoadOptions& options, const std::vector<std::string>& arguments,
            const net::Stop& stop) {
  return Job(ranks, options, arguments, stop).run();
}

}  // namespace wiremark::tools
