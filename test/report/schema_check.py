#!/usr/bin/env python3
"""Validates what PROGRAM (print_report) prints against the result schema.

schema_check.py SCHEMA PROGRAM; exit 77 without the package jsonschema.
"""

import copy
import json
import subprocess
import sys

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("skipped: python3 has no module jsonschema")
    sys.exit(77)


def members(schema, definitions):
    """Every member the schema names, with the object that must or may hold it."""
    while "$ref" in schema or "anyOf" in schema:
        one = schema.get("anyOf", [schema])[0]
        schema = definitions[one["$ref"].rsplit("/", 1)[1]]
    for name, member in schema.get("properties", {}).items():
        yield name, member


def missing(document, schema, definitions, path=""):
    """Members of the schema that a document with every part filled in lacks."""
    for name, member in members(schema, definitions):
        here = f"{path}/{name}"
        if name not in document:
            yield here
        elif isinstance(document[name], dict):
            yield from missing(document[name], member, definitions, here)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    wrong = []
    for form in ["json", "bare"]:
        printed = subprocess.run([sys.argv[2], form], capture_output=True, check=True).stdout
        document = json.loads(printed)
        wrong += [f"{form}: {error.json_path}: {error.message[:200]}" for error in validator.iter_errors(document)]
        if form == "json":
            wrong += [f"never exported: {name}" for name in missing(document, schema, schema["$defs"])]
        for name in schema["required"]:
            without = copy.copy(document)
            del without[name]
            if validator.is_valid(without):
                wrong.append(f"{form}: valid without {name}")
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main())
