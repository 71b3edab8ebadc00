// The ranks of an MPI job, and what they say to each other.
#include "netload-mpi/ranks.h"

#define OMPI_SKIP_MPICXX 1  // Its C++ bindings are gone since MPI 3.
#include <fmt/format.h>
#include <mpi.h>

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <thread>
#include <utility>

#include "netload/launcher.h"

namespace wiremark::tools {

namespace {

// Beside the words, for clock_ahead(): a rank's turn, and the messages of a round trip.
constexpr int kYourTurn = 101;
constexpr int kPing = 102;
constexpr int kPong = 103;
constexpr int kRoundTrips = 64;
// What does not come within the one is looked for after every other.
constexpr Nanoseconds kRoundTripAtMost = kMillisecond;
constexpr Nanoseconds kPause = 100 * kMicrosecond;

void pause() { std::this_thread::sleep_for(std::chrono::nanoseconds(kPause)); }

// A message with this source and tag, if one has come.
std::optional<Message> arrived(int from, int tag) {
  int there = 0;
  MPI_Message waiting = MPI_MESSAGE_NULL;
  MPI_Status status;
  if (MPI_Improbe(from, tag, MPI_COMM_WORLD, &there, &waiting, &status) != MPI_SUCCESS ||
      there == 0)
    return std::nullopt;
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  Message message{status.MPI_SOURCE, Word{status.MPI_TAG},
                  std::string(static_cast<std::size_t>(size), '\0')};
  MPI_Mrecv(message.text.data(), size, MPI_BYTE, &waiting, MPI_STATUS_IGNORE);
  return message;
}

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
  for (; !sending_.empty(); pause()) forget_what_has_left();
  MPI_Request all = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &all);
  for (int there = 0;; pause()) {
    MPI_Test(&all, &there, MPI_STATUS_IGNORE);
    if (there != 0) break;
  }
  MPI_Finalize();
}

// As Open MPI 4 and 5 do it when they are interrupted.
Nanoseconds Ranks::time_to_end() noexcept {
  return OMPI_MAJOR_VERSION < 5 ? kSecond : 250 * kMillisecond;
}

bool Ranks::heard_to_the_end() noexcept { return OMPI_MAJOR_VERSION < 5; }

void Ranks::send(int to, Word word, std::string text) {
  post(to, static_cast<int>(word), std::move(text));
}

void Ranks::send_to_all(Word word, const std::string& text) {
  for (int to = 0; to < size_; ++to) send(to, word, text);
}

void Ranks::post(int to, int tag, std::string text) {
  sending_.push_back(std::make_unique<Sending>());
  Sending& one = *sending_.back();
  one.text = std::move(text);
  MPI_Isend(one.text.data(), static_cast<int>(one.text.size()), MPI_BYTE, to, tag, MPI_COMM_WORLD,
            &one.request);
}

void Ranks::forget_what_has_left() {
  std::erase_if(sending_, [](const std::unique_ptr<Sending>& one) {
    int gone = 0;
    MPI_Test(&one->request, &gone, MPI_STATUS_IGNORE);
    return gone != 0;
  });
}

std::optional<Message> Ranks::take() {
  forget_what_has_left();
  return arrived(MPI_ANY_SOURCE, MPI_ANY_TAG);
}

std::string Ranks::await(int from, int tag) {
  const Nanoseconds begun = now_ns();
  for (;;) {
    if (auto message = arrived(from, tag)) return std::move(message->text);
    if (now_ns() - begun > kRoundTripAtMost) pause();
  }
}

// A rank sends its first ping when it has its turn, so rank 0 is here too, and take() sees none.
double Ranks::clock_ahead() {
  if (rank_ == 0) {
    for (int other = 1; other < size_; ++other) {
      post(other, kYourTurn, {});
      for (int i = 0; i < kRoundTrips; ++i) {
        await(other, kPing);
        const double now = clock_of_day();
        post(other, kPong, fmt::format("{:.9f}", now));
      }
    }
    return 0;
  }
  await(0, kYourTurn);
  double ahead = 0;
  double shortest = std::numeric_limits<double>::max();
  for (int i = 0; i < kRoundTrips; ++i) {
    const double sent = clock_of_day();
    post(0, kPing, {});
    const std::string answer = await(0, kPong);
    const double back = clock_of_day();
    if (back - sent >= shortest) continue;
    shortest = back - sent;
    double there = 0;
    std::from_chars(answer.data(), answer.data() + answer.size(), there);
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

}  // namespace wiremark::tools
