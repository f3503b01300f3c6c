"""The REST service, from its OpenAPI document; `tests/middleware/service/test_openapi.py` holds that the service serves it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

DOCUMENT = Path(__file__).parents[2] / "tests" / "middleware" / "service" / "openapi.json"
LINK = "../../tests/middleware/service/openapi.json"
Schema = Mapping[str, Any]


def rest_page() -> str:
    """Every route with its parameters, its body, its answer and an example."""
    document = json.loads(DOCUMENT.read_text(encoding="utf-8"))
    lines = [
        "# REST\n",
        f"Version {document['info']['version']}. A running service shows the same at `/docs`, where requests can be tried, and as",
        f"[OpenAPI document]({LINK}).\n",
    ]
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            lines += _operation(method, path, operation)
    lines.append("\n## Objects\n")
    for name, schema in sorted(document["components"]["schemas"].items()):
        lines += _object(name, schema)
    return "\n".join(lines)


def _operation(method: str, path: str, operation: Schema) -> Iterator[str]:
    yield f"\n## {method.upper()} {path}\n"
    yield f"{operation.get('summary', '')}.\n"
    yield operation.get("description", "").replace("\n#", "\n\\#") + "\n"
    parameters = operation.get("parameters", [])
    if parameters:
        yield "| parameter | in | type | what it is |\n|---|---|---|---|"
        for each in parameters:
            yield f"| `{each['name']}` | {each['in']} | {_type(each['schema'])} | {_cell(each.get('description', ''))} |"
        yield ""
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    if body.get("schema"):
        yield f"Body: {_type(body['schema'])}.\n"
    for example in body.get("examples", {}).values():
        yield f"{example.get('summary', 'Example')}:\n\n{_json(example['value'])}"
        break
    for status, answer in operation.get("responses", {}).items():
        content = answer.get("content", {}).get("application/json", {})
        kind = f": {_type(content['schema'])}" if content.get("schema") else ""
        yield f"- `{status}` {_cell(answer.get('description', ''))}{kind}"


def _object(name: str, schema: Schema) -> Iterator[str]:
    yield f"\n### {name}\n"
    yield _cell(schema.get("description", "")) + "\n"
    if schema.get("properties"):
        yield "| field | type | what it is |\n|---|---|---|"
        for field, each in schema["properties"].items():
            star = " (required)" if field in schema.get("required", ()) else ""
            yield f"| `{field}`{star} | {_type(each)} | {_cell(each.get('description', ''))} |"


def _type(schema: Schema) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " or ".join(_type(each) for each in schema[several])
    if "enum" in schema or "const" in schema:
        return ", ".join(f"`{each}`" for each in schema.get("enum", [schema.get("const")]))
    kind = str(schema.get("type", "anything"))
    if kind == "array":
        return f"list of {_type(schema.get('items', {}))}"
    bounds = [
        f"{word} {schema[key]}" for key, word in (("minimum", "from"), ("maximum", "to"), ("maxLength", "at most")) if key in schema
    ]
    return " ".join([kind, *bounds])


def _cell(text: str) -> str:
    return " ".join(str(text).split()).replace("|", "\\|")


def _json(value: Any) -> str:
    return f"```json\n{json.dumps(value, indent=2, ensure_ascii=False)}\n```\n"
