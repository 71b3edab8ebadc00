// However many kinds of errors a server words, few are told apart.
#include "load/error_counts.h"

#include <doctest/doctest.h>

using wiremark::load::ErrorCounts;

namespace {

std::string word(std::size_t number) { return "RESP -E" + std::to_string(number); }

}  // namespace

TEST_CASE("the first kinds of a server have names, and the others a sum") {
  ErrorCounts errors;
  for (std::size_t i = 0; i < 1'000; ++i) errors.add_of_server(word(i));
  for (std::size_t i = 0; i < 1'000; ++i) errors.add_of_server(word(i % 10));
  CHECK(errors.of_server().size() == ErrorCounts::kServersMax);
  CHECK(errors.of_server().at(word(9)) == 101);
  CHECK(errors.of_server().at(word(ErrorCounts::kServersMax - 1)) == 1);
  CHECK(errors.others() == 1'000 - ErrorCounts::kServersMax);
}

TEST_CASE("the load's own kinds have a name each, whatever the server says") {
  ErrorCounts errors;
  for (std::size_t i = 0; i < 100; ++i) errors.add_of_server(word(i));
  for (int i = 0; i < 3; ++i) errors.add("no reply within the timeout");
  errors.add("closed by the server");
  CHECK(errors.of_load().at("no reply within the timeout") == 3);
  CHECK(errors.of_load().at("closed by the server") == 1);
}

TEST_CASE("the kinds of all threads are no more than those of one") {
  ErrorCounts all;
  for (std::size_t thread = 0; thread < 3; ++thread) {
    ErrorCounts errors;
    for (std::size_t i = 0; i < 100; ++i) errors.add_of_server(word(100 * thread + i));
    errors.add_of_server(word(0));
    errors.add("closed by the server");
    all.merge(errors);
  }
  CHECK(all.of_server().size() == ErrorCounts::kServersMax);
  CHECK(all.of_load().at("closed by the server") == 3);
  std::uint64_t sum = all.others();
  for (const auto& [kind, count] : all.of_server()) sum += count;
  CHECK(sum == 303);
}
