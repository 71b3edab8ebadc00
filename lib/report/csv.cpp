// Documents as rows of one CSV file.
#include "report/csv.h"

#include <fmt/core.h>

#include <string_view>

#include "base/output_file.h"
#include "report/shape.h"

namespace wiremark::report {

namespace {

// A cell as people write it: numbers without needless digits, lists in words.
std::string plain(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return value;
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  std::string text;
  for (const auto& [name, part] : value.items()) {
    if (!value.is_structured()) return value.dump();
    if (!text.empty()) text += value.is_object() ? " " : "; ";
    text += (value.is_object() ? name + "=" : "") + plain(part);
  }
  return text;
}

// RFC 4180, rules 5 to 7.
std::string cell_of(const Json& value) {
  const std::string text = plain(value);
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char character : text) {
    if (character == '"') cell += '"';
    cell += character;
  }
  return cell + '"';
}

// A column for each number, and for whatever else names one. Without a `value` cells are empty.
void add_columns(const Shape& shape, const Json* value, const std::string& prefix,
                 std::string& names, std::string& cells) {
  for (const Shape& part : shape.parts) {
    const Json* there = value ? find(*value, part.name) : nullptr;
    if (part.kind == Kind::object) {
      if (part.column) add_columns(part, there, prefix + part.column, names, cells);
    } else if (part.column || part.kind == Kind::integer || part.kind == Kind::number) {
      names += prefix + (part.column ? part.column : part.name) + ",";
      cells += (there ? cell_of(*there) : "") + ",";
    }
  }
}

void add_header(const Shape& shape, std::string& names) {
  std::string unused;
  add_columns(shape, nullptr, "", names, unused);
  const auto rows = std::ranges::find(shape.parts, true, &Shape::rows);
  if (rows != shape.parts.end()) add_header(rows->parts[0], names);
}

// `before` holds the cells of the documents around the value.
void add_rows(const Shape& shape, const Json& value, std::string before, std::string& text) {
  std::string unused;
  add_columns(shape, &value, "", unused, before);
  const auto rows = std::ranges::find(shape.parts, true, &Shape::rows);
  if (rows == shape.parts.end()) {
    before.back() = '\n';
    text += before;
    return;
  }
  for (const Json& item : value.at(rows->name)) add_rows(rows->parts[0], item, before, text);
}

}  // namespace

std::string csv_header(const Shape& shape) {
  std::string names;
  add_header(shape, names);
  names.back() = '\n';
  return names;
}

std::string csv_rows(const Shape& shape, const Json& value) {
  std::string text;
  add_rows(shape, value, "", text);
  return text;
}

std::string csv_rows(const Document& document) {
  return csv_rows(shape_of(document), to_json(document, Form::row));
}

std::vector<std::string> csv_headers(std::initializer_list<Document> kinds) {
  std::vector<std::string> headers;
  for (const Document& kind : kinds) headers.push_back(csv_header(shape_of(kind)));
  return headers;
}

Result<> append_csv(const std::string& path, const Document& document) {
  return append_rows(path, csv_header(shape_of(document)), csv_rows(document));
}

}  // namespace wiremark::report
