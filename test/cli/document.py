"""Documents checked against the schemas of the source tree, named by the environment as SCHEMAS."""

import json
import os

from case import Skip, expect
from process import program

try:
    from jsonschema import Draft202012Validator
except ImportError:
    Draft202012Validator = None


def own_references(part, prefix):
    """`part` of a schema with its references rewritten for that schema being below `prefix`."""
    if isinstance(part, list):
        return [own_references(one, prefix) for one in part]
    if not isinstance(part, dict):
        return part
    moved = {name: own_references(value, prefix) for name, value in part.items() if name != "$id"}
    if "$ref" in moved:
        schema, _, place = moved["$ref"].partition("#")
        moved["$ref"] = (f"#/$defs/{schema}" if schema else prefix) + place
    return moved


def bundle(schemas, root):
    """All schemas as one, since resolvers of jsonschema differ from release to release."""
    parts = {name: own_references(schema, f"#/$defs/{name}") for name, schema in schemas.items()}
    return {"$schema": schemas[root]["$schema"], "$ref": f"#/$defs/{root}", "$defs": parts}


def keeps_to_the_schema(document):
    """Checks `document` by the schema that it names, and that schema by its meta-schema."""
    if Draft202012Validator is None:
        raise Skip("python3 has no module jsonschema")
    schemas = {}
    for name in os.listdir(program("SCHEMAS")):
        if name.endswith(".schema.json"):
            with open(os.path.join(program("SCHEMAS"), name), encoding="utf-8") as file:
                schema = json.load(file)
            Draft202012Validator.check_schema(schema)
            schemas[schema["$id"]] = schema
    schema = bundle(schemas, "urn:" + document["schema"].replace(".", ":").replace("/", ":"))
    wrong = [f"{error.json_path}: {error.message[:200]}"
             for error in Draft202012Validator(schema).iter_errors(document)]
    expect(not wrong, f"{document['schema']}: {wrong[:5]}")


def buckets_of(latency):
    """Index and count of each bucket that is not empty."""
    return [(first + i, count) for first, *counts in latency["histogram"]["runs"] for i, count in enumerate(counts)]


def count_from(latency, least_ns):
    """How many values lie in buckets that begin at `least_ns` or above: 2,048 of 1 ns, then 1,024 for each power of
    two (lib/measure/histogram.h)."""
    def begin(index):
        power = max(0, index // 1024 - 1)
        return index - 1024 * power << power
    return sum(count for index, count in buckets_of(latency) if begin(index) >= least_ns)
