// netload-mpi: one load by the netloads of all ranks of an MPI job.
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "netload-mpi/job.h"
#include "netload-mpi/ranks.h"
#include "netload/load_options.h"
#include "netload/sharing.h"
#include "options.h"
#include "printing.h"
#include "signals.h"

using namespace wiremark;
using namespace wiremark::tools;

namespace {

constexpr const char* kExamples = R"(Examples:
  mpirun -n 4 --hostfile hosts netload-mpi -c 40000 -r 10 10.0.0.1:7007
  mpirun -n 2 netload-mpi -R 400k -d 30s --json=sum.json :7007
All options are those of netload, given for the whole load; each rank takes its
share. What a run writes is written once, by rank 0.)";

/// Options that a rank has from us, or that are of a single netload. A usage error as text.
std::string unfit_for_ranks(const LoadOptions& options) {
  if (!options.compare.empty() || options.find_max || options.bypass)
    return "--compare, --find-max and --bypass make many runs, and this is one load: run netload";
  if (options.target.empty())
    return "TARGET is missing: no rank starts a netecho that the others could reach";
  if (options.share.of > 1) return "each rank has its own --share: leave it out";
  if (options.start_at > 0 || options.start_fd >= 0)
    return "rank 0 says when all start: leave --start-at and --start-fd out";
  if (!options.latency.hdr_log.empty())
    return "netreport --hdr-log makes a log of --json=FILE: leave --hdr-log out";
  return {};
}

/// The command line of a rank: those behind rank 0 write nothing, and the folders of its machine
/// need not be on theirs.
std::vector<std::string> arguments_of_rank(int argc, char** argv) {
  const std::vector<std::string> all(argv, argv + argc);
  return is_later_rank() ? what_shares_have_in_common(all) : all;
}

/// The other ranks read the same command line, of which rank 0 says what is wrong.
void be_silent() {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  ::close(nowhere);
}

/// `code`, but a failure of a later rank waits: mpirun ends every rank as soon as one has failed,
/// and rank 0 must have said why before that.
int after_rank_0(int code) {
  if (code != 0 && is_later_rank()) std::this_thread::sleep_for(std::chrono::seconds(2));
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  const int out = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  const int err = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  if (is_later_rank()) be_silent();
  LoadOptions options;
  CommandLine line("netload-mpi",
                   "One load by many machines: a netload in each rank of an MPI job, started\n"
                   "together, with one result.",
                   kExamples);
  add_options(line, options);
  std::vector<std::string> arguments = arguments_of_rank(argc, argv);
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  if (const auto exit = line.parse(static_cast<int>(pointers.size()), pointers.data()))
    return after_rank_0(*exit);
  std::string wrong = unfit_for_ranks(options);
  if (wrong.empty()) wrong = complete(options);
  if (!wrong.empty()) {
    print_err("netload-mpi: {}\nTry 'netload-mpi --help'.\n", wrong);
    return after_rank_0(kUsage);
  }
  if (out >= 0) ::dup2(out, STDOUT_FILENO);
  if (err >= 0) ::dup2(err, STDERR_FILENO);
  net::Stop stop;
  Signals signals(stop);
  Ranks ranks(argc, argv);
  return ending("netload-mpi", run_job(ranks, options, line.arguments(), stop));
}
