# SPDX-License-Identifier: Apache-2.0
"""``fcp scene`` as a user calls it: info, show, convert, diff, and what is said of bad input."""

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from fcp_ros.cli.exit_codes import BAD_INPUT, DIFFERENT
from fcp_ros.cli.main import app
from fcp_ros.foundation.wordnet import find_wordnet
from fcp_ros.scene import Layer, Pose, SceneGraph, SceneNode, load_scene, to_document, write_scene


def fcp(*arguments: str, columns: int = 200) -> tuple[int, str, str]:
    """Runs the program in this process; returns exit code, standard output, standard error."""
    environment = {"COLUMNS": str(columns), "NO_COLOR": "1"}
    result = CliRunner().invoke(app, ["scene", *arguments], env=environment)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def odd_house(tmp_path: Path, house: SceneGraph) -> Path:
    """The twin house with an unknown thing in it."""
    icebox = SceneNode("icebox_1", Layer.OBJECT, "icebox", Pose.at(3, 2, 0.5), (0.6, 0.6, 1))
    path = tmp_path / "odd.json"
    write_scene(SceneGraph.of([*house.nodes.values(), icebox], house.relations), path)
    return path


@pytest.fixture(scope="session")
def house(repository: Path) -> SceneGraph:
    return load_scene(repository / "config" / "scenes" / "twin_house.json")


# --- info


def test_info_groups_by_label() -> None:
    code, out, _ = fcp("info", "twin_house")
    assert code == 0
    assert "canonical JSON/YAML" in out
    rows = [line.split() for line in out.splitlines()]
    assert ["object", "refrigerator", "1", "fridge", "1.00", "label", "fridge_1"] in rows
    assert ["object", "floor", "2", "floor", "1.00", "label", "kitchen_1_floor,",
            "living_room_1_floor"] in rows  # fmt: skip
    assert ["inside", "1"] in rows


def test_files_above_the_scene_need_an_option(tmp_path: Path) -> None:
    """As the message says, which names the folder."""
    pytest.importorskip("pxr")
    head = '#usda 1.0\n(\ndefaultPrim = "mug"\nmetersPerUnit = 1\nupAxis = "Z"\n)\n'
    for name, text in (
        ("assets/mug", 'def Cube "mug" (\nprepend apiSchemas = ["SemanticsLabelsAPI:class"]\n) {\n'
         'token[] semantics:labels:class = ["mug"]\n}\n'),
        ("scenes/stage", 'def "mug" (\nreferences = @../assets/mug.usda@\n) {\n}\n'),
    ):  # fmt: skip
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).with_suffix(".usda").write_text(head + text)
    stage, assets = str(tmp_path / "scenes" / "stage.usda"), str(tmp_path / "assets")
    code, _, error = fcp("info", stage, columns=400)
    assert code == BAD_INPUT
    assert f"Allow them with --assets {assets} " in error
    code, out, _ = fcp("info", stage, "--assets", assets)
    assert code == 0
    assert any(line.split()[:3] == ["object", "mug", "1"] for line in out.splitlines())


def test_info_fits_a_narrow_terminal() -> None:
    _, out, _ = fcp("info", "twin_house_furnished", columns=80)
    labels = out.split("\n\n")[1].splitlines()
    assert all(len(line) <= 80 for line in labels)
    assert sum(line.startswith("object") for line in labels) == len(labels) - 5  # a row each


def test_info_shows_each_node_when_asked() -> None:
    _, out, _ = fcp("info", "twin_house", "--all")
    row = next(line for line in out.splitlines() if "milk_1" in line and "drink" in line)
    assert "inside fridge_1" in row


def test_info_as_json() -> None:
    _, out, _ = fcp("info", "twin_house", "--json")
    plain = json.loads(out)
    nodes = {node["id"]: node for node in plain["nodes"]}
    assert nodes["fridge_1"]["type"] == "fridge"
    assert nodes["fridge_1"]["degree"] == 1.0
    assert nodes["fridge_1"]["how"] == "label"
    assert nodes["fridge_1"]["matched_label"] == "refrigerator"
    assert plain["format"] == "canonical"
    assert ["inside", "milk_1", "fridge_1"] in plain["relations"]


def test_many_nodes_stay_readable(tmp_path: Path) -> None:
    nodes = [
        SceneNode(f"n{i}", Layer.OBJECT, f"thing {chr(97 + i % 60 // 26)}{chr(97 + i % 26)}")
        for i in range(6000)
    ]
    write_scene(SceneGraph.of(nodes), tmp_path / "many.json")
    _, out, _ = fcp("info", str(tmp_path / "many.json"))
    assert len(out.splitlines()) < 100
    assert "more labels with" in out


@pytest.mark.skipif(find_wordnet() is None, reason="WordNet isn't installed")
def test_types_are_explained_and_overridden(odd_house: Path) -> None:
    def icebox(*options: str) -> dict[str, object]:
        code, out, error = fcp("info", str(odd_house), "--json", *options)
        assert code == 0, error
        found: dict[str, object] = json.loads(out)["nodes"][-1]
        return (
            found
            if found["id"] == "icebox_1"
            else next(node for node in json.loads(out)["nodes"] if node["id"] == "icebox_1")
        )

    assert (icebox()["how"], icebox()["type"]) == ("kind", "fridge")
    assert icebox("--type", "icebox=fridge")["type"] == "fridge"
    by_id = icebox("--type", "icebox=fridge", "-t", "icebox_1=locker")
    assert (by_id["type"], by_id["how"]) == ("locker", "override")
    assert icebox("--similar", "0.1")["how"] == "kind"  # which is right more often


def test_plans_take_overrides_too() -> None:
    def plan(*options: str) -> int:
        goal = ["plan", "--scene", "twin_house", "--goal", "on(mug_1, counter_1)", *options]
        return CliRunner().invoke(app, goal).exit_code

    assert plan() == 0
    assert plan("--type", "mug_1=fixture") == BAD_INPUT  # a fixture can't be on anything
    assert plan("--type", "nobody=fixture") == BAD_INPUT


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("icebox=frigde", "Did you mean fridge?"),
        ("icebx=fridge", "Did you mean icebox"),
        ("icebox", "LABEL=TYPE"),
    ],
)
def test_wrong_overrides(odd_house: Path, override: str, words: str) -> None:
    code, _, error = fcp("info", str(odd_house), "--type", override)
    assert code == BAD_INPUT
    assert words in error


def test_scenes_beyond_the_limit_are_refused() -> None:
    code, _, error = fcp("info", "twin_house", "--max-nodes", "3")
    assert code == BAD_INPUT
    assert "more than the limit of 3" in error


# --- show


def test_show_draws_by_the_ending(tmp_path: Path) -> None:
    page, picture = tmp_path / "pages" / "house.html", tmp_path / "pictures" / "house.svg"
    assert fcp("show", "twin_house", "--out", str(page))[0] == 0
    assert page.read_text().startswith("<!doctype html>")
    assert fcp("show", "twin_house", "-o", str(picture))[0] == 0
    assert picture.read_text().startswith("<svg")
    code, _, error = fcp("show", "twin_house", "-o", str(tmp_path / "house.png"))
    assert code == BAD_INPUT
    assert ".html or .svg" in error


def test_nothing_to_draw(tmp_path: Path) -> None:
    path = tmp_path / "unplaced.json"
    write_scene(SceneGraph.of([SceneNode("mug", Layer.OBJECT, "mug")]), path)
    code, _, error = fcp("show", str(path), "-o", str(tmp_path / "x.html"))
    assert code == BAD_INPUT
    assert "nothing to draw" in error


# --- convert and diff


def test_convert_there_and_back(tmp_path: Path) -> None:
    out = tmp_path / "new" / "house.yaml"
    code, told, _ = fcp("convert", "twin_house", str(out))
    assert code == 0
    assert "wrote" in told
    assert fcp("diff", "twin_house", str(out))[0] == 0


def test_convert_into_nothing_known(tmp_path: Path) -> None:
    code, _, error = fcp("convert", "twin_house", str(tmp_path / "house.docx"))
    assert code == BAD_INPUT
    assert ".json, .yaml" in error


def test_diff_tells_what_changed(tmp_path: Path, house: SceneGraph) -> None:
    nodes = dict(house.nodes)
    mug = nodes["mug_1"]
    assert mug.pose is not None
    x, y, z = mug.pose.position
    nodes["mug_1"] = replace(mug, category="cup", pose=Pose.at(x + 0.03, y + 0.04, z))
    del nodes["book_1"]
    relations = [r for r in house.relations if "book_1" not in r.elements]
    path = tmp_path / "changed.json"
    write_scene(SceneGraph(nodes, relations), path)  # type: ignore[arg-type]
    code, out, _ = fcp("diff", "twin_house", str(path))
    assert code == DIFFERENT
    assert "- object book_1 (book)" in out
    assert "~ mug_1: moved by 5.0 cm; category mug -> cup" in out
    assert "1 gone, 0 new, 1 changed" in out
    code, out, _ = fcp("diff", "twin_house", str(path), "--json", "--distance", "6")
    assert code == DIFFERENT
    plain = json.loads(out)
    assert plain["changed"] == [
        {"id": "mug_1", "moved_m": 0.0, "turned_degrees": 0.0,
         "changes": [["category", "mug", "cup"]]}
    ]  # fmt: skip
    assert [node["id"] for node in plain["removed"]] == ["book_1"]


def test_diff_matches_other_words_for_the_same(repository: Path) -> None:
    file = str(repository / "test/scene/data/procthor/twin_house_house.json")
    _, out, _ = fcp("diff", "twin_house", file, "--given-only", "--match", "--json")
    plain = json.loads(out)
    assert plain["removed"] == []
    changed = {change["id"]: change["changes"] for change in plain["changed"]}
    assert ["category", "refrigerator", "Fridge"] in changed["fridge_1"]
    assert ["category", "couch", "Sofa"] in changed["couch_1"]


def test_diff_with_a_file_that_is_not_there() -> None:
    assert fcp("diff", "twin_house", "/no/such/file.json")[0] == BAD_INPUT


def test_nan_is_no_tolerance() -> None:
    assert fcp("diff", "twin_house", "twin_house_furnished", "--distance", "nan")[0] == BAD_INPUT


@pytest.mark.parametrize("name", ["[bold]", "[/]", "$\\frac{$"])
def test_names_are_printed_as_they_stand_and_harmless(tmp_path: Path, name: str) -> None:
    thing = SceneNode(name, Layer.OBJECT, name, Pose.at(0, 0, 0))
    path, out = tmp_path / "bad.json", tmp_path / "bad.html"
    path.write_text(json.dumps(to_document(SceneGraph.of([thing]))), encoding="ascii")
    for arguments in (("info", str(path)), ("diff", "twin_house", str(path))):
        code, printed, _ = fcp(*arguments)
        assert code in (0, DIFFERENT)
        assert name in printed
    assert fcp("show", str(path), "-o", str(out))[0] == 0
    assert fcp("show", str(path), "-o", str(tmp_path / "bad.svg"))[0] == 0
    ElementTree.parse(tmp_path / "bad.svg")
    assert fcp("convert", str(path), str(tmp_path / "again.json"))[0] in (0, BAD_INPUT)


# --- relations on request


def test_relations_on_request(tmp_path: Path) -> None:
    code, out, _ = fcp("info", "twin_house", "--also", "near", "--also", "under", "--json")
    assert code == 0
    assert "near" in {relation[0] for relation in json.loads(out)["relations"]}
    assert fcp("convert", "twin_house", str(tmp_path / "house.json"), "--also", "near")[0] == 0
    written = json.loads((tmp_path / "house.json").read_text())
    assert "near" in {relation["name"] for relation in written["relations"] if "name" in relation}


def test_an_unknown_relation_on_request() -> None:
    code, _, error = fcp("info", "twin_house", "--also", "behind")
    assert code == BAD_INPUT
    assert "Choose among: under, near" in error


# --- what is printed into a pipe


def test_a_pipe_gets_no_padding() -> None:
    """A pipe has no width: the last column of the table must not be filled up to one."""
    result = CliRunner().invoke(app, ["scene", "info", "twin_house_furnished"], env={"COLUMNS": ""})
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) < 300
    assert len(result.stdout) < 5_000
