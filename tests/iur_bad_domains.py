"""Domains that Rasa 3.6 refuses, and what our error says; the tests of Rasa hold the same against Rasa itself."""

from __future__ import annotations

from iur_fixtures import DOMAIN


def _slot(body: str) -> str:
    return f'version: "3.1"\nintents: [inform]\nentities: [size]\nslots:\n  size:\n{body}'


BAD_DOMAINS: dict[str, tuple[str, str]] = {
    "unknown slot type": (
        _slot("    type: colour\n    mappings: [{type: from_text}]\n"),
        r"slot size, type: got 'colour'; allowed: text, bool, categorical",
    ),
    "no slot type": (_slot("    mappings: [{type: from_text}]\n"), r"slot size, type: got None"),
    "no mappings": (_slot("    type: text\n"), r"slot size, mappings: got None; allowed: a list of mappings"),
    "unknown mapping": (
        _slot("    type: text\n    mappings: [{type: from_hunch}]\n"),
        r"slot size, mapping type: got 'from_hunch'; allowed: from_entity, from_intent",
    ),
    "mapping without entity": (
        _slot("    type: text\n    mappings: [{type: from_entity}]\n"),
        r"slot size, mapping from_entity: got \{'type': 'from_entity'\}; allowed: one with `entity:`",
    ),
    "mapping without value": (
        _slot("    type: text\n    mappings: [{type: from_intent, intent: inform}]\n"),
        r"slot size, mapping from_intent: .* `value:`",
    ),
    "values of a text slot": (
        _slot("    type: text\n    values: [a, b]\n    mappings: [{type: from_text}]\n"),
        r"slot size, key: got 'values'; allowed: for type text",
    ),
    "values that are no list": (
        _slot("    type: categorical\n    values: small\n    mappings: [{type: from_text}]\n"),
        r"slot size, values: got 'small'; allowed: a list",
    ),
    "any slot that influences": (
        _slot("    type: any\n    influence_conversation: true\n    mappings: [{type: custom}]\n"),
        r"slot size, influence_conversation: got True; allowed: false",
    ),
    "influence that is no truth": (
        _slot("    type: text\n    influence_conversation: perhaps\n    mappings: [{type: from_text}]\n"),
        r"slot size, influence_conversation: got 'perhaps'",
    ),
    "slot that is no mapping": (_slot("    - a\n"), r"slot size: got \['a'\]; allowed: a mapping"),
    "slots that are a list": ('version: "3.1"\nslots: [size]\n', r"slots: got \['size'\]; allowed: a mapping"),
    "intents that are a mapping": ("intents: {inform: {}}\n", r"intents: got .*; allowed: a list"),
    "intent twice": ("intents: [inform, inform]\n", r"intent: got 'inform twice'; allowed: each name once"),
    "intent with nothing behind its colon": ("intents:\n- inform:\n", r"intent inform: got None"),
    "entity with nothing behind its colon": ("entities:\n- size:\n", r"entity size: got None"),
    "entity twice": ("entities: [size, size]\n", r"entity: got 'size twice'"),
    "form that is a list": ("forms: {order: [size]}\n", r"form order: got \['size'\]"),
    "forms that are a list": ("forms: [order]\n", r"forms: got \['order'\]"),
    "same key twice": (DOMAIN.replace("  note:\n", "  size:\n"), r"line \d+: not valid YAML"),
    "version that is a number": (DOMAIN.replace('"3.1"', "3.1"), r"version: got 3\.1; allowed: a string of at most"),
    "no mapping at all": ("- intents\n", r"allowed: a Rasa domain"),
    "no YAML": ("slots: {size: [\n", r"not valid YAML"),
}
