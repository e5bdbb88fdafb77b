# SPDX-License-Identifier: Apache-2.0
"""The script of the scene page, run by a browser where there is one."""

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
const stage = document.getElementById("stage"), area = stage.getBoundingClientRect();
const at = (x, y, buttons = 0) => ({clientX: area.left + x * area.width, buttons,
  clientY: area.top + y * area.height, pointerId: 1, bubbles: true});
const seen = new Set();
setTimeout(() => {
  for (let i = 0; i <= 60; i++) for (let j = 0; j <= 60; j++) {
    stage.dispatchEvent(new PointerEvent("pointermove", at(i / 60, j / 60)));
    const tip = stage.querySelector(".tip");
    if (!tip.hidden) seen.add(tip.textContent.split("\\n")[0]);
  }
  document.body.dataset.seen = [...seen].sort().join(" ");
  for (const box of document.querySelectorAll("#switches input, #switches button")) box.click();
  stage.dispatchEvent(new WheelEvent("wheel", {deltaY: 100}));
  stage.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowUp"}));
  requestAnimationFrame(() => requestAnimationFrame(() => document.body.dataset.drawn = "yes"));
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
    for switch in ("rooms (2)", "furniture (5)", "doors (1)", "on (14)"):
        assert switch in found["switches"]
    assert {"fridge_1", "table_1", "counter_1", "couch_1", "door_1"} <= set(found["seen"].split())


def test_names_do_nothing_in_a_browser(tmp_path: Path) -> None:
    bad = "</script><img src=x onerror=\"document.body.dataset.error='ran'\">"
    nodes = [
        SceneNode(bad, Layer.ROOM, bad, Pose.at(0, 0, 1), polygon=((-1, -1), (1, -1), (0, 1))),
        SceneNode("big", Layer.OBJECT, bad, Pose.at(0, 0, 0, 0.3), (1.0, 1.0, 1.0)),
    ]
    found = run(render_scene_page(SceneGraph.of(nodes), {}, "household"), tmp_path)
    assert "error" not in found
    assert found["seen"] == "big"
