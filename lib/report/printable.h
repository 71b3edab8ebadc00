// Documents whose texts can be shown anywhere: in a line, a table, a page.
#pragma once

#include "report/document.h"
#include "report/type.h"

namespace wiremark::report {

/// Makes each text in a value of this type printable(), and the names in its lists by name, which
/// get a prime or more where others look like them then.
void make_printable(const Type& type, void* value);

void make_printable(Document& document);

}  // namespace wiremark::report
