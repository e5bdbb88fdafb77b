# SPDX-License-Identifier: Apache-2.0
"""What a builder's changes leave undone: missing values, and references to what is gone."""

from collections.abc import Iterable, Iterator

from fcp_ros.cset.instance.draft import Draft


def unfinished(draft: Draft) -> list[str]:
    """Why the draft is no instance yet, a clause each; empty when it is one."""
    created = draft.created() if draft.functions else []
    problems = list(_missing_values(draft, created)) if created else []
    if draft.removed:
        problems += [
            f"{draft.removed[element]!r} was removed, but is still {leg!r} in {relation!r}"
            for element, relation, leg in dict.fromkeys((*_in_new_tuples(draft), *_in_old(draft)))
        ]
        problems += _as_values(draft)
    return problems


def _missing_values(draft: Draft, created: Iterable[int]) -> Iterator[str]:
    for element in created:
        for function in draft.schema.functions_of(draft.elements.types[element]):
            if element not in draft.functions[function.name].values:
                yield (
                    f"{draft.elements.names[element]!r} has no value for function "
                    f"{function.name!r}; use set_function"
                )


def _in_new_tuples(draft: Draft) -> Iterator[tuple[int, str, str]]:
    """Removed elements in tuples that were added or changed: element, relation, leg."""
    for name, _, legs in draft.touched_tuples():
        for position, element in enumerate(legs):
            if element in draft.removed:
                yield element, name, draft.schema.relation(name).legs[position][0]


def _in_old(draft: Draft) -> Iterator[tuple[int, str, str]]:
    """The same in tuples that were there before, and are as they were.

    The index is the one of the instance that the draft started from, so that all drafts share it.
    """
    before = draft.before
    if before is None:
        return
    for element in draft.removed:
        if not before.contains(element):
            continue
        above = draft.schema.ancestors(before.type_of(element))
        for relation in draft.schema.relations:
            rows = draft.relations[relation.name].rows
            for position, (leg, type_) in enumerate(relation.legs):
                if type_ in above:
                    index = before.relation_table(relation.name).index(position)
                    for row in index.get(element, ()):
                        if row in rows and rows[row][position] == element:
                            yield element, relation.name, leg


def _as_values(draft: Draft) -> Iterator[str]:
    for name, table in draft.functions.items():
        for element in draft.removed:
            sources = {source for function, source in draft.touched_values() if function == name}
            if draft.before is not None:
                sources.update(draft.before.function_table(name).preimages().get(element, ()))
            for source in sorted(sources):
                if table.values.get(source) == element:
                    holder = draft.elements.names[source]
                    yield f"{draft.removed[element]!r} was removed, but is {name!r} of {holder!r}"
