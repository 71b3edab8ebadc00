// What a user says of a protocol of their own, or of one that netload knows by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace wiremark::load {

/// The --reply of messages that have none.
inline constexpr std::string_view kOneWay = "none";

/// The --reply that is whatever a datagram holds.
inline constexpr std::string_view kDatagram = "datagram";

/// As it was written on the command line.
struct CustomOptions {
  std::vector<std::string> send = {};      ///< TEXT or @FILE each; in turn.
  std::string send_lines = {};             ///< A file with a request a line.
  std::string reply = {};                  ///< Where a reply ends; empty: see reply_of().
  std::optional<std::string> expect = {};  ///< same, TEXT or @FILE.
  std::string expect_status = {};          ///< HTTP; empty: see Http::is_error().
  std::string greeting = {};               ///< Where it ends, of servers that speak first.
  std::string scheme = {};                 ///< Of the target: "http", "redis"; mostly empty.
  std::string authority = {};              ///< Of the target: "localhost:8080".
  std::string path = {};                   ///< Of the target, from its first slash on.
  std::string method = {};                 ///< HTTP; empty is GET.
  std::vector<std::string> headers = {};   ///< HTTP: "Name: value" each.
  std::optional<std::string> body = {};    ///< HTTP: TEXT or @FILE.

  bool operator==(const CustomOptions&) const = default;
};

/// What targets of the protocols that netload knows begin with: "http://, redis://, memcached://".
std::string known_schemes();

/// Their names as forms of --reply: "http, resp, memcached".
std::string known_replies();

/// Takes the scheme off a target such as "redis://localhost", and sets what it says; what is left
/// is an address. Errors: a scheme that netload does not speak.
Result<std::string> take_scheme(const std::string& target, CustomOptions& options);

/// Whether anything of it was asked for.
bool is_custom(const CustomOptions& options);

/// --reply as it was given, or what goes without saying; plan_custom() knows questions of DNS,
/// which have a form of their own, from other datagrams.
std::string reply_of(const CustomOptions& options, bool datagrams);

/// Whether each request has an %{id}, by which datagrams are told apart. False for what cannot be
/// read.
bool has_ids(const CustomOptions& options);

/// Errors: no form of --reply; the text lists them.
Result<> check_reply(const std::string& form);
/// Errors: an escape or a field that is none. Files are not read.
Result<> check_request(const std::string& text);

/// Errors: a part that is neither a status nor a class of them.
Result<> check_statuses(const std::string& text);

/// Errors: no method, which is one word.
Result<> check_method(const std::string& method);

/// Errors: no header, "Name: value" on one line with the escapes and fields of --send.
Result<> check_header(const std::string& header);

/// What does not go together, and the fix; empty where all does.
std::string conflict_in(const CustomOptions& options, bool datagrams, bool verify);

}  // namespace wiremark::load
