// What is said of a server that sent nothing back.
#include "netload/silence.h"

#include <doctest/doctest.h>

using namespace wiremark;
using namespace wiremark::tools;

TEST_CASE("a server that is slow is given time, and no other reason") {
  CHECK(describe({.waited = 1, .timeout = 5 * kSecond, .asked = {}}) ==
        "no request was answered: 1 connection waited 5s (--timeout) without a byte in reply; a "
        "server that takes longer wants a longer --timeout");
  CHECK(describe({.waited = 10, .timeout = 200 * kMillisecond, .asked = "does it echo?"}) ==
        "no request was answered: 10 connections waited 200ms (--timeout) without a byte in reply; "
        "a server that takes longer wants a longer --timeout; does it echo?");
}

TEST_CASE("a server that closes is said to speak TLS where it does") {
  CHECK(describe({.closed = 2, .timeout = kSecond, .asked = {}}) ==
        "no request was answered: the server closed 2 connections without a byte in reply");
  CHECK(describe({.closed = 2, .timeout = kSecond, .speaks_tls = true, .asked = "echo?"}) ==
        "no request was answered: the server closed 2 connections without a byte in reply; the "
        "port speaks TLS (it answered a ClientHello), which netload does not: name one without it");
}

TEST_CASE("a server may close some connections and leave others waiting") {
  CHECK(describe({.closed = 1, .waited = 3, .timeout = kSecond, .asked = {}}) ==
        "no request was answered: the server closed 1 connection, and 3 connections waited 1s "
        "(--timeout) without a byte in reply; a server that takes longer wants a longer --timeout");
  CHECK(describe({.timeout = kSecond, .asked = "does it echo?"}).empty());
}
