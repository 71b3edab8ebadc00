// Documents whose texts can be shown anywhere: in a line, a table, a page.
#include "report/printable.h"

#include <cstddef>
#include <string>
#include <utility>
#include <variant>

#include "base/printable.h"
#include "report/adding.h"
#include "report/codec_fields.h"
#include "report/machine_fields.h"

namespace wiremark::report {

namespace {

void make_printable(const Type& map_type, void* map, std::string& name) {
  std::string shown = printable(name);
  if (shown == name) return;
  while (place_of(map_type, map, shown) < map_type.size(map)) shown += '\'';
  name = std::move(shown);
}

}  // namespace

void make_printable(const Type& type, void* value) {
  if (type.part) {
    for (std::size_t i = 0; i < type.size(value); ++i) {
      if (type.name) make_printable(type, value, type.name(value, i));
      make_printable(*type.part, type.item(value, i));
    }
  } else if (!type.leaf) {
    for (const Field& field : type.fields) {
      if (field.source == Source::kept) make_printable(*field.type, field.of(value).get());
    }
  } else if (type.kind == Kind::text) {
    auto& text = as<std::string>(value);
    text = printable(text);
  }
}

void make_printable(Document& document) {
  std::visit([]<class T>(T& value) { make_printable(type_of<T>(), &value); }, document);
}

}  // namespace wiremark::report
