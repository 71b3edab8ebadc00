// Redis and its relatives: what is sent to redis://HOST:PORT, and how error replies are counted.
#pragma once

#include <string>

#include "load/exchange/reads.h"
#include "load/exchange/scheme.h"
#include "wire/framing/resp.h"

namespace wiremark::load {

struct Redis : HitsAndMisses {
  using Framer = wire::RespFramer;
  static constexpr Scheme kScheme{.name = "redis",
                                  .reply = "resp",
                                  .port = 6379,
                                  .request = "PING\\r\\n",
                                  .expect = "+PONG\r\n",
                                  .line_end = "\r\n",
                                  .path = "/0"};  // The database.

  /// Of a request as an inline command or as an array.
  static wire::Asked asked(std::string_view request) noexcept {
    return {.reads = is_one_of(wire::resp_command(request), kReads)};
  }
  static bool repeatable(std::string_view request) noexcept {
    const std::string_view command = wire::resp_command(request);
    return is_one_of(command, kOtherRepeatable) ||
           (is_one_of(command, kReads) && !is_one_of(command, kTaking));
  }

  static std::string error(const wire::Step&, std::string_view reply) {
    return "RESP -" + std::string(wire::resp_error_word(reply));
  }

  static bool names_error(std::string_view expected) noexcept {
    return expected.starts_with('-') || expected.starts_with('!');
  }

  Framer framer = {};

 private:
  // Commands that are answered with null, or with no value, where there is nothing.
  // https://redis.io/docs/latest/commands
  static constexpr std::string_view kReads[] = {
      "get",        "getdel",      "getex",      "mget",           "hget",
      "hgetall",    "hgetdel",     "hgetex",     "hkeys",          "hmget",
      "hrandfield", "hvals",       "lindex",     "lmpop",          "lpop",
      "lrange",     "rpop",        "lmove",      "rpoplpush",      "blmove",
      "blmpop",     "blpop",       "brpop",      "brpoplpush",     "sdiff",
      "sinter",     "smembers",    "spop",       "srandmember",    "sunion",
      "zdiff",      "zinter",      "zmpop",      "zmscore",        "zpopmax",
      "zpopmin",    "zrandmember", "zrange",     "zrangebylex",    "zrangebyscore",
      "zrank",      "zrevrange",   "zrevrank",   "zrevrangebylex", "zrevrangebyscore",
      "zscore",     "zunion",      "bzmpop",     "bzpopmax",       "bzpopmin",
      "xrange",     "xread",       "xreadgroup", "xrevrange",      "geodist",
      "geohash",    "geopos",      "geosearch",  "dump",           "randomkey",
      "json.get",   "json.mget",   "ts.get"};
  // Those of them that change what they read.
  static constexpr std::string_view kTaking[] = {
      "getdel",  "getex",   "hgetdel", "hgetex",   "lmpop",     "lpop",       "rpop", "lmove",
      "blmove",  "blmpop",  "blpop",   "brpop",    "rpoplpush", "brpoplpush", "spop", "zmpop",
      "zpopmax", "zpopmin", "bzmpop",  "bzpopmax", "bzpopmin",  "xreadgroup"};
  // Others that change nothing.
  static constexpr std::string_view kOtherRepeatable[] = {
      "ping",      "echo",       "time",   "info",   "dbsize", "exists",    "type",
      "ttl",       "pttl",       "strlen", "substr", "keys",   "getrange",  "getbit",
      "bitcount",  "bitpos",     "llen",   "lpos",   "hlen",   "hexists",   "hstrlen",
      "hscan",     "scard",      "sscan",  "zcard",  "zcount", "zlexcount", "zscan",
      "sismember", "smismember", "scan",   "xlen",   "pfcount"};
};

}  // namespace wiremark::load
