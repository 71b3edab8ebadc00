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
    const std::string_view command = wire::resp_command(request);
    return {.reads = is_one_of(command, kReads) || is_one_of(command, kTakes)};
  }
  static bool repeatable(std::string_view request) noexcept {
    const std::string_view command = wire::resp_command(request);
    return is_one_of(command, kReads) || is_one_of(command, kAsks);
  }

  static std::string error(const wire::Step&, std::string_view reply) {
    return "RESP -" + std::string(wire::resp_error_word(reply));
  }

  static bool names_error(std::string_view expected) noexcept {
    return expected.starts_with('-') || expected.starts_with('!');
  }

  Framer framer = {};

 private:
  // Commands that are answered with null, or with no value, where there is nothing; those of the
  // second list change what they read. https://redis.io/docs/latest/commands
  static constexpr std::string_view kReads[] = {
      "get",           "mget",           "hget",
      "hgetall",       "hkeys",          "hmget",
      "hrandfield",    "hvals",          "lindex",
      "lrange",        "sdiff",          "sinter",
      "smembers",      "srandmember",    "sunion",
      "zdiff",         "zinter",         "zmscore",
      "zrandmember",   "zrange",         "zrangebylex",
      "zrangebyscore", "zrank",          "zrevrange",
      "zrevrank",      "zrevrangebylex", "zrevrangebyscore",
      "zscore",        "zunion",         "xrange",
      "xread",         "xrevrange",      "geodist",
      "geohash",       "geopos",         "geosearch",
      "dump",          "randomkey",      "json.get",
      "json.mget",     "ts.get"};
  static constexpr std::string_view kTakes[] = {
      "getdel",  "getex",   "hgetdel", "hgetex",   "lmpop",     "lpop",       "rpop", "lmove",
      "blmove",  "blmpop",  "blpop",   "brpop",    "rpoplpush", "brpoplpush", "spop", "zmpop",
      "zpopmax", "zpopmin", "bzmpop",  "bzpopmax", "bzpopmin",  "xreadgroup"};
  // Others that change nothing.
  static constexpr std::string_view kAsks[] = {
      "ping",      "echo",       "time",   "info",   "dbsize", "exists",    "type",
      "ttl",       "pttl",       "strlen", "substr", "keys",   "getrange",  "getbit",
      "bitcount",  "bitpos",     "llen",   "lpos",   "hlen",   "hexists",   "hstrlen",
      "hscan",     "scard",      "sscan",  "zcard",  "zcount", "zlexcount", "zscan",
      "sismember", "smismember", "scan",   "xlen",   "pfcount"};
};

}  // namespace wiremark::load
