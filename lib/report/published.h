// What was published of an experiment, beside what stands for it here.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace wiremark::report {

struct Published {
  std::string picture;  ///< What is drawn together, with its unit: "requests/s".
  std::string row;      ///< "io_uring".
  double low = 0;       ///< Of what was published; one figure is both.
  double high = 0;
  std::optional<double> ours = std::nullopt;  ///< None where it was not measured.
  std::optional<double> ours_low = std::nullopt;
  std::optional<double> ours_high = std::nullopt;
};

}  // namespace wiremark::report
