// The ranks of an MPI job, and what they say to each other.
#include "netload-mpi/ranks.h"

#define OMPI_SKIP_MPICXX 1  // Its C++ bindings are gone since MPI 3.
#include <mpi.h>

#include <chrono>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <utility>

namespace wiremark::tools {

namespace {

// Beside the words, for clock_ahead().
constexpr int kPing = 101;
constexpr int kPong = 102;
constexpr int kRoundTrips = 64;

}  // namespace

struct Ranks::Sending {
  std::string text;
  MPI_Request request = MPI_REQUEST_NULL;
};

Ranks::Ranks(int& argc, char**& argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

Ranks::~Ranks() {
  for (const auto& one : sending_) MPI_Wait(&one->request, MPI_STATUS_IGNORE);
  MPI_Finalize();
}

// As Open MPI 4 and 5 do it when they are interrupted.
Nanoseconds Ranks::time_to_end() noexcept {
  return OMPI_MAJOR_VERSION < 5 ? kSecond : 250 * kMillisecond;
}

bool Ranks::heard_to_the_end() noexcept { return OMPI_MAJOR_VERSION < 5; }

void Ranks::send(int to, Word word, std::string text) {
  sending_.push_back(std::make_unique<Sending>());
  Sending& one = *sending_.back();
  one.text = std::move(text);
  MPI_Isend(one.text.data(), static_cast<int>(one.text.size()), MPI_BYTE, to,
            static_cast<int>(word), MPI_COMM_WORLD, &one.request);
}

void Ranks::send_to_all(Word word, const std::string& text) {
  for (int to = 0; to < size_; ++to) send(to, word, text);
}

std::optional<Message> Ranks::take() {
  std::erase_if(sending_, [](const std::unique_ptr<Sending>& one) {
    int gone = 0;
    MPI_Test(&one->request, &gone, MPI_STATUS_IGNORE);
    return gone != 0;
  });
  int there = 0;
  MPI_Message waiting = MPI_MESSAGE_NULL;
  MPI_Status status;
  if (MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &waiting, &status) !=
          MPI_SUCCESS ||
      there == 0)
    return std::nullopt;
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  Message message{status.MPI_SOURCE, Word{status.MPI_TAG},
                  std::string(static_cast<std::size_t>(size), '\0')};
  MPI_Mrecv(message.text.data(), size, MPI_BYTE, &waiting, MPI_STATUS_IGNORE);
  return message;
}

double Ranks::clock_ahead() {
  if (rank_ == 0) {
    for (int other = 1; other < size_; ++other) {
      for (int i = 0; i < kRoundTrips; ++i) {
        MPI_Recv(nullptr, 0, MPI_BYTE, other, kPing, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        const double now = clock_of_day();
        MPI_Send(&now, 1, MPI_DOUBLE, other, kPong, MPI_COMM_WORLD);
      }
    }
    return 0;
  }
  double ahead = 0;
  double shortest = std::numeric_limits<double>::max();
  for (int i = 0; i < kRoundTrips; ++i) {
    const double sent = clock_of_day();
    MPI_Send(nullptr, 0, MPI_BYTE, 0, kPing, MPI_COMM_WORLD);
    double there = 0;
    MPI_Recv(&there, 1, MPI_DOUBLE, 0, kPong, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const double back = clock_of_day();
    // The first waits until the ranks before this one are through.
    if (back - sent >= shortest) continue;
    shortest = back - sent;
    ahead = (sent + back) / 2 - there;
  }
  return ahead;
}

bool is_later_rank() {
  // Open MPI 4 and 5, and what else starts with PMIx or PMI.
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    if (const char* rank = std::getenv(name)) return std::string_view(rank) != "0";
  }
  return false;
}

double clock_of_day() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace wiremark::tools
