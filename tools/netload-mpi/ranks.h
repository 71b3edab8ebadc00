// The ranks of an MPI job, and what they say to each other. The only place that knows MPI.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"

namespace wiremark::tools {

/// What a message between ranks is about.
enum class Word : int {
  ready = 1,  ///< To rank 0: all connections are open.
  sync,       ///< From rank 0: compare the clocks now.
  stop,       ///< From rank 0: end what you have begun.
  start,      ///< From rank 0: a proposal when to start, by its clock.
  answer,     ///< To rank 0: whether its netload will start then.
  interval,   ///< To rank 0: a line of figures.
  outcome,    ///< To rank 0: the result, or why there is none.
  done,       ///< From rank 0: it needs nothing more, and has delivered the sum or could not.
};

struct Message {
  int from = 0;
  Word word = Word::done;
  std::string text;
};

/// This process as a rank of its job. Used by one thread. Nothing here waits for another rank but
/// clock_ahead() and the end, so that a rank which has died is nobody's end. Who waits sleeps: a
/// call of MPI that waits takes a processor until it returns, beside the netloads and the ranks
/// that it waits for.
class Ranks {
 public:
  /// MPI_Init(3): must come before anything else of it.
  Ranks(int& argc, char**& argv);
  /// Waits for all ranks, and MPI_Finalize(3).
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }

  /// How long after it has told them to end mpirun kills the ranks.
  static Nanoseconds time_to_end() noexcept;
  /// Whether mpirun still prints what a rank says in that time.
  static bool heard_to_the_end() noexcept;

  /// Returns at once; the text is kept until it has left. A rank may send to itself.
  void send(int to, Word word, std::string text);
  void send_to_all(Word word, const std::string& text);

  /// A message that has come, if there is one.
  std::optional<Message> take();

  /// How many seconds this rank's clock is ahead of that of rank 0: by the shortest of 64 round
  /// trips. All ranks must call it together; they wait for each other.
  double clock_ahead();

 private:
  struct Sending;

  void post(int to, int tag, std::string text);
  void forget_what_has_left();
  std::string await(int from, int tag);

  int rank_ = 0;
  int size_ = 1;
  std::list<std::unique_ptr<Sending>> sending_;
};

/// Whether this process is another rank than the first, before MPI is asked: then rank 0 says what
/// is wrong with the command line that they share.
bool is_later_rank();

}  // namespace wiremark::tools
