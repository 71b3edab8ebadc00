// A page that stands alone: text, tables and pictures, without a script or a second file.
#include "report/html/page.h"

#include <fmt/core.h>

#include "picture/charts.h"

namespace wiremark::report {

using picture::escaped;

namespace {

// So that nothing is fetched or run, whatever a name in a result contains.
constexpr const char* kPolicy = "default-src 'none'; style-src 'unsafe-inline'";

constexpr const char* kPageStyle = R"(body{background:var(--paper);color:var(--ink);
font:15px/1.45 system-ui,sans-serif;max-width:900px;margin:0 auto;padding:16px}
h1{font-size:24px;line-height:1.25;overflow-wrap:anywhere}h2{font-size:17px;margin:28px 0 4px}
p,li{overflow-wrap:anywhere}p{margin:8px 0}ul{margin:8px 0;padding-left:22px}
.quiet,figcaption,summary{color:var(--quiet)}.bad{color:var(--bad);font-weight:600}
figure{margin:0 0 20px}
.scroll{overflow-x:auto;background:linear-gradient(90deg,var(--paper) 30%,transparent) 0/30px 100%,
linear-gradient(270deg,var(--paper) 30%,transparent) 100%/30px 100%,
linear-gradient(90deg,var(--quiet),transparent) 0/8px 100%,
linear-gradient(270deg,var(--quiet),transparent) 100%/8px 100%;
background-repeat:no-repeat;background-attachment:local,local,scroll,scroll}
figure svg{display:block;width:100%;height:auto;min-width:560px}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
table{font-size:14px}th,td{text-align:right;padding:3px 8px;border-bottom:1px solid var(--grid);white-space:nowrap}
th:first-child,td:first-child{text-align:left;padding-left:0;white-space:normal;min-width:90px}
td.w{white-space:normal;min-width:110px}
figcaption{margin:4px 0}summary{cursor:pointer}details table{font-size:13px}
.pair figure svg{min-width:420px}
@media screen and (min-width:1240px){.pair{display:grid;grid-template-columns:1fr 1fr;gap:0 24px;
width:1200px;margin-left:-150px}}
@media print{body{max-width:none;padding:0}figure{break-inside:avoid}details{display:none}}
)";

// What is longer than a figure with its unit is words, which may take several lines.
constexpr std::size_t kFigureLetters = 14;

std::string row_of(const std::vector<std::string>& cells, std::string_view element) {
  std::string row = "<tr>";
  for (const std::string& cell : cells)
    row +=
        fmt::format("<{0}{2}>{1}</{0}>", element, escaped(cell),
                    &cell != &cells.front() && cell.size() > kFigureLetters ? " class=\"w\"" : "");
  return row + "</tr>\n";
}

std::string html_of(const HtmlTable& table) {
  std::string rows;
  for (const auto& row : table.rows) rows += row_of(row, "td");
  return fmt::format(
      "<div class=\"scroll\"><table>\n<thead>{}</thead>\n<tbody>\n{}</tbody></table></div>\n",
      row_of(table.head, "th"), rows);
}

}  // namespace

Page::Page(std::string_view title)
    : title_(escaped(title)), body_(fmt::format("<h1>{}</h1>\n", title_)) {}

void Page::paragraph(std::string_view text, std::string_view classes) {
  body_ +=
      fmt::format("<p{}>{}</p>\n", classes.empty() ? "" : fmt::format(R"( class="{}")", classes),
                  escaped(text));
}

void Page::list(const std::vector<std::string>& items) {
  if (items.empty()) return;
  body_ += "<ul>\n";
  for (const std::string& item : items) body_ += fmt::format("<li>{}</li>\n", escaped(item));
  body_ += "</ul>\n";
}

void Page::table(const HtmlTable& table) { body_ += html_of(table); }

void Page::printed(const std::vector<std::string>& lines) {
  body_ += "<div class=\"scroll\"><pre>\n";
  for (const std::string& line : lines) body_ += escaped(line) + "\n";
  body_ += "</pre></div>\n";
}

void Page::figure(const picture::Svg& svg, std::string_view note, const HtmlTable& figures) {
  body_ += fmt::format("<figure>\n<h2>{}</h2>\n<div class=\"scroll\">{}</div>\n",
                       escaped(svg.title()), svg.str(++pictures_));
  if (!note.empty()) body_ += fmt::format("<figcaption>{}</figcaption>\n", escaped(note));
  body_ += fmt::format("<details><summary>{} as a table</summary>\n{}</details>\n</figure>\n",
                       escaped(svg.title()), html_of(figures));
}

std::string Page::str() const {
  return fmt::format(
      "<!DOCTYPE html>\n"
      "<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
      "<meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>{}</title>\n<style>\n{}{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
      kPolicy, title_, picture::kStyle, kPageStyle, body_);
}

}  // namespace wiremark::report
