// A value, or the operation that failed and its errno.
#include "base/result.h"

#include <system_error>

namespace wiremark {

std::string Error::message() const {
  std::string text = operation;
  if (!detail.empty()) text += (text.empty() ? "" : " ") + detail;
  if (code != 0) text += ": " + std::generic_category().message(code);
  return text;
}

}  // namespace wiremark
