// Every document that a tool writes: what all that knows a format takes.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <variant>
#include <vector>

#include "report/codec_table.h"
#include "report/study.h"

namespace wiremark::report {

using Document =
    std::variant<RunResult, IntervalLine, Comparison, MaxRate, Bypass, CodecTable, Experiment>;

/// The runs in it: itself, or its rounds or probes in their order. They are the document's.
std::vector<RunResult*> results_in(Document& document);

struct Shape;
enum class Form : std::uint8_t;

/// What may stand in documents of this kind, and this one as JSON.
const Shape& shape_of(const Document& document);
nlohmann::ordered_json to_json(const Document& document, Form form);

}  // namespace wiremark::report
