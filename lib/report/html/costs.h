// Processor time per message as bars, with each round as a dot.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "picture/charts.h"
#include "report/html/page.h"
#include "report/study.h"

namespace wiremark::report {

/// The cost of one end of a run, or of several rounds.
struct CostRow {
  std::string name;
  std::size_t colour = 0;
  std::vector<picture::Dot> rounds{};  ///< The rounds as dots.
};

/// Adds a picture of the rows; nothing if there are none.
void add_costs(Page& page, const std::vector<CostRow>& rows);

/// A figure of each round as a dot, without rounds that do not have it.
std::vector<picture::Dot> dots_of(const Rounds& rounds, FigureOf figure, const char* judged,
                                  std::string (*format)(double));

/// A cost in us as a cell of a table; "-" where there is none.
std::string cost_cell(std::optional<double> us);

/// A row of dots as a bar: the median, and a line from the lowest to the highest. It is doubtful
/// if more than half of the rounds are.
picture::Bar bar_of(const CostRow& row, std::string (*format)(double));

}  // namespace wiremark::report
