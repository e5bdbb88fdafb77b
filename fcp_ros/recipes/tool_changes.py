# SPDX-License-Identifier: Apache-2.0
"""A step without a tool: other words for the work, how it is done now, and how long that takes."""

from __future__ import annotations

import re
from dataclasses import replace

from fcp_ros.language.english.inflection import list_stems, write_gerund
from fcp_ros.recipes.direction_words import find_times
from fcp_ros.recipes.ingredient_lines import WORD
from fcp_ros.recipes.knowledge_entries import Tool
from fcp_ros.recipes.recipe import Step
from fcp_ros.recipes.recipe_draft import ToolChoice
from fcp_ros.recipes.text_editing import list_sentences, scale_times, tidy


def do_without_tool(step: Step, choice: ToolChoice, tool: Tool) -> Step:
    """Return a step that uses the tools of another method; any other step as it is."""
    if choice.tool not in step.tools:
        return step
    method, minutes, text = choice.method, step.minutes, step.text
    if minutes is not None and method.factor != 1.0:
        text = scale_times(text, find_times(text), method.factor)
        minutes = sum(one.value for one in find_times(text))
    instead = method.text.partition(" ")[0].lower()
    sentences, told = [], False
    for start, end in list_sentences(text):
        said = text[start:end].strip()
        if re.match(r"pre-?heat\b", said, re.IGNORECASE):
            continue  # there is nothing to be heated before
        written = _write_without(said, (choice.tool, *tool.also), tool.words, instead)
        sentences.append(written)
        if written != said and not told:
            sentences[-1:] = [written if written[-1] in ".!?" else f"{written}.", method.text]
            told = True
    others = (one for one in step.tools if one != choice.tool)
    tools = tuple(dict.fromkeys((*others, *method.use)))
    before = step.changed_from or step.text
    text = tidy(" ".join(sentences)) or method.text
    return replace(step, text=text, tools=tools, minutes=minutes, changed_from=before)


def _write_without(
    sentence: str, names: tuple[str, ...], words: tuple[str, ...], instead: str
) -> str:
    """Write a sentence without the names of a tool, and with another verb for its work."""
    each = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    place = r"\s*\b(?:in|into|inside|with|on|onto|using|to|from)\s+(?:(?:the|an?|your)\s+)?"
    sentence = re.sub(rf"{place}(?:[\w-]+\s+)?(?:{each})s?\b", "", sentence, flags=re.IGNORECASE)

    def exchange(match: re.Match[str]) -> str:
        word = match[0].lower()
        if not {word, *list_stems(word)} & set(words):
            return match[0]
        verb = write_gerund(instead) if word.endswith("ing") else instead
        return verb.capitalize() if match[0][0].isupper() else verb

    return WORD.sub(exchange, sentence)
