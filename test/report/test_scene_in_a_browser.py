# SPDX-License-Identifier: Apache-2.0
"""The scene page in a browser, where there is one."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from fcp_ros.report.scene_page import render_scene_page
from fcp_ros.scene import Layer, Pose, SceneGraph, SceneNode

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")
pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no Chromium to run the page in")

PROBE = """
<script>
addEventListener("error", (event) => document.body.dataset.error = event.message);
</script>
"""


def run(page: str, folder: Path) -> dict[str, str]:
    """The page's body: what the probes have written there, which are let in for it."""
    text = page.replace("<body>", f"<body>{PROBE}").replace(
        "style-src", "script-src 'unsafe-inline'; style-src"
    )
    file = folder / "page.html"
    file.write_text(text, encoding="utf-8")
    assert BROWSER is not None
    finished = subprocess.run(
        [BROWSER, "--headless", "--no-sandbox", "--no-first-run", "--disable-dev-shm-usage",
         "--disable-background-networking", f"--user-data-dir={folder / 'profile'}",
         "--window-size=1000,900", "--virtual-time-budget=3000", "--dump-dom", file.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    body = re.search(r"<body([^>]*)>", finished.stdout)
    assert body is not None
    return dict(re.findall(r'data-(\w+)="([^"]*)"', body[1]))


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


@pytest.mark.parametrize("name", ["<b>mug</b>", "a \"quoted\" 'mug'", "&lt;i&gt; & co", "</svg>"])
def test_markup_in_names_is_text_in_a_browser(tmp_path: Path, name: str) -> None:
    """In the tables and the plan; the plan's texts are read back from the browser."""
    corners = ((-2, -2), (2, -2), (2, 2), (-2, 2))
    nodes = [
        SceneNode("hall", Layer.ROOM, name, Pose.at(0, 0, 1), polygon=corners),
        SceneNode(name, Layer.OBJECT, name, Pose.at(0, 0, 0, 0.3), (1.0, 1.0, 1.0)),
    ]
    read = """<script>
    const wanted = WANTED;
    const found = [...document.querySelectorAll("td, .plan text")]
      .filter((each) => each.textContent.trim() === wanted.replaceAll("_", " "));
    document.body.dataset.shown = [...new Set(found.map((each) => each.tagName))].sort();
    document.body.dataset.bold = document.querySelectorAll("td b, text b, td i").length;
    </script>""".replace("WANTED", json.dumps(name).replace("<", "\\u003c"))
    page = render_scene_page(SceneGraph.of(nodes), {}, "household")
    found = run(page.replace("</body>", f"{read}</body>"), tmp_path)
    assert "error" not in found
    assert found["shown"] == "TD,text"
    assert found["bold"] == "0"
