# SPDX-License-Identifier: Apache-2.0
"""The script of the scene page, run by a browser where there is one."""

import html
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from fcp_ros.report.scene_page import render_scene_page
from fcp_ros.scene import Layer, Pose, SceneGraph, SceneNode, load_scene

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")
pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no Chromium to run the page in")

PROBE = """
<script>
addEventListener("error", (event) => document.body.dataset.error = event.message);
</script>
"""

CHECK = """
<script>
const stage = document.getElementById("stage");
const seen = new Set(), reach = [[60, 0], [60, 0]];
let margin = 1;
setTimeout(() => {
  const area = stage.getBoundingClientRect();
  const at = (x, y, buttons = 0) => ({clientX: area.left + x * area.width, buttons,
    clientY: area.top + y * area.height, pointerId: 1, bubbles: true});
  for (let i = 0; i <= 60; i++) for (let j = 0; j <= 60; j++) {
    stage.dispatchEvent(new PointerEvent("pointermove", at(i / 60, j / 60)));
    const tip = stage.querySelector(".tip");
    if (tip.hidden) continue;
    seen.add(tip.textContent.split("\\n")[0]);
    for (const at of [i, 60 - i, j, 60 - j]) margin = Math.min(margin, at / 60);
    for (const at of [0, 1]) reach[at] = [Math.min(reach[at][0], [i, j][at]),
      Math.max(reach[at][1], [i, j][at])];
  }
  document.body.dataset.seen = [...seen].sort().join(" ");
  document.body.dataset.margin = margin;
  document.body.dataset.share = Math.max(...reach.map(([from, to]) => to - from)) / 60;
  for (const box of document.querySelectorAll("#switches input, #switches button")) box.click();
  stage.dispatchEvent(new WheelEvent("wheel", {deltaY: 100}));
  stage.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowUp"}));
  setTimeout(() => document.body.dataset.drawn = "yes", 500); // there may be no frame before
}, 200);
</script>
"""


def run(page: str, folder: Path) -> dict[str, str]:
    """The page's body after its script has run: what the probes have written there."""
    text = page.replace("<body>", f"<body>{PROBE}").replace("</body>", f"{CHECK}</body>")
    file = folder / "page.html"
    file.write_text(text, encoding="utf-8")
    assert BROWSER is not None
    finished = subprocess.run(
        [BROWSER, "--headless", "--no-sandbox", "--no-first-run", "--disable-dev-shm-usage",
         "--disable-background-networking", "--use-gl=angle", "--use-angle=swiftshader",
         "--enable-unsafe-swiftshader", f"--user-data-dir={folder / 'profile'}",
         "--window-size=1000,900", "--virtual-time-budget=3000", "--dump-dom", file.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    if '<div class="nothing">' in finished.stdout:
        pytest.skip("this browser has no WebGL 2")
    body = re.search(r"<body([^>]*)>", finished.stdout)
    assert body is not None
    found = dict(re.findall(r'data-(\w+)="([^"]*)"', body[1]))
    found["switches"] = re.sub(r"<[^>]+>", " ", finished.stdout.split('id="switches"')[-1])
    return found


def test_the_house_in_a_browser(repository: Path, tmp_path: Path) -> None:
    house = load_scene(repository / "config" / "scenes" / "twin_house_furnished.json")
    found = run(render_scene_page(house, {}, "household"), tmp_path)
    assert "error" not in found
    assert found["drawn"] == "yes"
    for switch in ("rooms (2)", "furniture (5)", "doors (1)", "on (9)", "on the floor (5)"):
        assert switch in found["switches"]
    assert {"fridge_1", "table_1", "counter_1", "couch_1", "door_1"} <= set(found["seen"].split())


@pytest.mark.parametrize("scale", [0.02, 1.0, 1000.0])
@pytest.mark.parametrize("place", [(0.0, 0.0, 0.0), (512_345.0, -5_400_000.0, 300.0)])
def test_everything_is_in_view_at_the_start(
    tmp_path: Path, scale: float, place: tuple[float, float, float]
) -> None:
    """Of a tiny and a huge scene, here and far from the map's origin; it fills the picture."""
    corners = [(x, y, z) for x in (0, 9) for y in (0, 6) for z in (0, 3)]
    nodes = [
        SceneNode(
            f"box_{number}",
            Layer.OBJECT,
            "box",
            Pose.at(*(place[axis] + scale * corner[axis] for axis in range(3))),
            (scale, scale, scale),
        )
        for number, corner in enumerate(corners)
    ]
    found = run(render_scene_page(SceneGraph.of(nodes), {}, "household"), tmp_path)
    assert "error" not in found
    assert found["seen"] == " ".join(f"box_{number}" for number in range(8))
    assert float(found["margin"]) > 0.0
    assert float(found["share"]) >= 0.8


LAYOUT = """
<script>
const name = /^plan-name\\d+$/, rects = [], rooms = [];
for (const group of document.querySelectorAll(".plan g[id]")) {
  if (!name.test(group.id)) continue;
  rects.push([group.textContent.trim(), group.querySelector("text").getBoundingClientRect()]);
}
for (const path of document.querySelectorAll(".plan path"))
  if (path.style.fill === "rgb(243, 240, 233)") rooms.push(path.getBoundingClientRect());
const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
const shrunk = (a) => // letters are lower than their lines
  ({left: a.left + 1, right: a.right - 1, top: a.top + 3, bottom: a.bottom - 3});
const holds = (a, b) =>
  a.left <= b.left && b.right <= a.right && a.top <= b.top && b.bottom <= a.bottom;
const clashes = [], outside = [];
rects.forEach(([one, a], i) => rects.slice(0, i).forEach(([other, b]) => {
  if (meet(shrunk(a), shrunk(b))) clashes.push(`${one} / ${other}`);
}));
for (const [text, rect] of rects)
  if (!/mug|robot/.test(text) && !rooms.some((room) => holds(room, shrunk(rect))))
    outside.push(text);
document.body.dataset.clashes = clashes.join("; ");
document.body.dataset.outside = outside.join("; ");
document.body.dataset.names = rects.length;
document.body.dataset.rooms = rooms.length;
</script>
"""


def test_names_in_the_plan_do_not_overlap_and_stay_in_their_rooms(tmp_path: Path) -> None:
    """As the browser lays them out, with its own fonts."""
    names = ["the_room_of_the_grandmother_who_lives_upstairs", "wc",
             "Donaudampfschifffahrtsgesellschaftskapitaensroom", "room_4"]  # fmt: skip
    nodes = []
    for number, name in enumerate(names):
        west, east = 1.6 * number, 1.6 * number + 1.6
        corners = ((west, 0.0), (east, 0.0), (east, 3.0), (west, 3.0))
        middle = Pose.at(west + 0.8, 1.5, 1.25)
        nodes.append(SceneNode(name, Layer.ROOM, "room", middle, polygon=corners))
        nodes += [
            SceneNode(f"mug_{number}_{k}", Layer.OBJECT, "mug", Pose.at(west + 0.1 * k, 0.5, 0.8))
            for k in range(1, 9)
        ]
    page = render_scene_page(SceneGraph.of(nodes), {}, "household")
    found = run(page.replace("</body>", f"{LAYOUT}</body>"), tmp_path)
    assert "error" not in found
    assert found["rooms"] == "4"
    assert int(found["names"]) >= 20
    assert found.get("clashes", "") == ""
    assert found.get("outside", "") == ""


def test_names_do_nothing_in_a_browser(tmp_path: Path) -> None:
    bad = "</script><img src=x onerror=\"document.body.dataset.error='ran'\">"
    nodes = [
        SceneNode(bad, Layer.ROOM, bad, Pose.at(0, 0, 1), polygon=((-1, -1), (1, -1), (0, 1))),
        SceneNode("big", Layer.OBJECT, bad, Pose.at(0, 0, 0, 0.3), (1.0, 1.0, 1.0)),
    ]
    found = run(render_scene_page(SceneGraph.of(nodes), {}, "household"), tmp_path)
    assert "error" not in found
    assert found["seen"] == "big"


@pytest.mark.parametrize("name", ["<b>mug</b>", "a \"quoted\" 'mug'", "&lt;i&gt; & co", "</svg>"])
def test_markup_in_names_is_text_in_a_browser(tmp_path: Path, name: str) -> None:
    """In the tip, the tables and the plan; the plan's texts are read back from the browser."""
    corners = ((-2, -2), (2, -2), (2, 2), (-2, 2))
    nodes = [
        SceneNode("hall", Layer.ROOM, name, Pose.at(0, 0, 1), polygon=corners),
        SceneNode(name, Layer.OBJECT, name, Pose.at(0, 0, 0, 0.3), (1.0, 1.0, 1.0)),
    ]
    read = """<script>
    const wanted = JSON.parse(document.getElementById("scene-data").textContent).nodes[1][0];
    const found = [...document.querySelectorAll("td, .plan text")]
      .filter((each) => each.textContent.trim() === wanted.replaceAll("_", " "));
    document.body.dataset.shown = [...new Set(found.map((each) => each.tagName))].sort();
    document.body.dataset.bold = document.querySelectorAll("td b, text b, td i").length;
    </script>"""
    page = render_scene_page(SceneGraph.of(nodes), {}, "household")
    found = run(page.replace("</body>", f"{read}</body>"), tmp_path)
    assert "error" not in found
    assert found["shown"] == "TD,text"
    assert found["bold"] == "0"
    assert html.unescape(found["seen"]) == name
