// The forms of --reply: how a reply is told from the next one.
#pragma once

#include <string>
#include <tuple>
#include <variant>

#include "base/result.h"
#include "load/exchange/dns.h"
#include "load/exchange/http.h"
#include "load/exchange/memcached.h"
#include "load/exchange/redis.h"
#include "wire/framing/binary.h"
#include "wire/framing/until.h"

namespace wiremark::load {

/// The protocols that netload knows by the scheme of a target: each in a file of its own.
using Protocols = std::tuple<Http, Redis, Memcached>;

/// A framer whose replies have no errors that it could know.
template <class F>
struct Plain {
  using Framer = F;

  static std::string error(const wire::Step&, std::string_view) { return {}; }

  Framer framer;
};

template <class... Known>
std::variant<Plain<wire::EchoFramer>, Plain<wire::SizeFramer>, Plain<wire::UntilFramer>,
             Plain<wire::PrefixFramer>, Plain<wire::VarintFramer>, Plain<wire::DatagramFramer>,
             Plain<wire::NoFramer>, Dns, Known...>
forms_with(std::tuple<Known...>*);

using Form = decltype(forms_with(static_cast<Protocols*>(nullptr)));

/// Errors: none of the forms, which the text lists.
Result<Form> parse_form(const std::string& text);

/// The scheme of that name; null where there is none.
const Scheme* scheme_of(std::string_view name) noexcept;

}  // namespace wiremark::load
