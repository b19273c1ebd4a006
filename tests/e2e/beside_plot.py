"""Our drawings beside Observable Plot's of the same data: `make look`, for docs/look.md.

Plot comes from npm into var/look and is used nowhere else. The site is started with its demo; what the
API says of the final round's scores is drawn by Plot as its documentation would, at the width of ours.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import django
from playwright import sync_api

from evalsite import env
from tests.e2e import screenshots

PLOT = "@observablehq/plot@0.6.17"
FOLDER = env.BASE_DIR / "var/look"
WIDTH = 620
#: By the name of a picture: where ours stands on the page of scores, and how Plot draws its data.
CHARTS = {
    "ranking": (
        "[aria-labelledby=h-rank] > ol.rank",
        """({systems}) => Plot.plot({width: %d, marginLeft: 120, marginRight: 40,
          x: {label: "Score", grid: true, domain: [0, 100]},
          y: {label: null, domain: systems.map(d => d.name)}, marks: [
          Plot.ruleY(systems, {x1: "low", x2: "high", y: "name", stroke: "name", strokeWidth: 2}),
          Plot.dot(systems, {x: "value", y: "name", fill: "name", symbol: "name", r: 5}),
          Plot.text(systems, {x: "high", y: "name", text: d => d.value.toFixed(1), dx: 22})]})""",
    ),
    "differences": (
        "details.data table:has(td.wk)",
        """({pairs}) => Plot.plot({width: %d, marginLeft: 220, x: {label: "Points", grid: true},
          y: {label: null, domain: pairs.map(d => d.name)}, marks: [Plot.ruleX([0]),
          Plot.ruleY(pairs, {x1: "low", x2: "high", y: "name", strokeWidth: 2}),
          Plot.dot(pairs, {x: "value", y: "name", fill: "currentColor", r: 4})]})""",
    ),
    "heat": (
        "table.wideheat",
        """({cells}) => Plot.plot({width: %d, marginLeft: 150, padding: 0.03, y: {label: null},
          x: {label: null, axis: "top"}, color: {scheme: "Blues"}, marks: [
          Plot.cell(cells, {x: "name", y: "part", fill: "value"}),
          Plot.text(cells, {x: "name", y: "part", text: d => d.value.toFixed(1),
            fill: d => d.value > 85 ? "white" : "black"})]})""",
    ),
}


def installed() -> Path:
    """Return the folder of Plot and of what it needs, fetched if it is not there."""
    if not (FOLDER / "node_modules/@observablehq/plot").is_dir():
        FOLDER.mkdir(parents=True, exist_ok=True)
        asked = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(FOLDER), PLOT]
        subprocess.run(asked, check=True)
    return FOLDER / "node_modules"


def data_of(told: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return what is drawn, in points of percent, from the scores as the API tells them."""
    names = {one["number"]: one["name"] for one in told["releases"]}
    scores = [one for one in told["scores"] if one["figure"] == "score" and one["value"]]
    systems = [
        _drawn(one["others"], one, names[one["release"]]) for one in scores if _is_whole(one)
    ]
    pairs = [
        _drawn(one["others"], one, f"{names[one['left']]} − {names[one['right']]}")
        for one in told["differences"]
        if one["value"]
    ]
    cells = [
        {"name": names[one["release"]], "part": one["capability"], "value": _points(one["value"])}
        for one in scores
        if one["level"] == "capability"
    ]
    systems.sort(key=lambda one: -one["value"])
    return {"systems": systems, "pairs": pairs, "cells": cells}


def _is_whole(one: dict[str, Any]) -> bool:
    return bool(one["level"] == "overall")


def _points(value: dict[str, Any]) -> float:
    return 100 * float(value["value"])


def _drawn(ends: dict[str, Any], one: dict[str, Any], name: str) -> dict[str, Any]:
    low, high = (None if ends[end] is None else 100 * ends[end] for end in ("low", "high"))
    return {"name": name, "value": _points(one["value"]), "low": low, "high": high}


def made(url: str, password: str, final: int, into: Path) -> list[Path]:
    """Make both pictures of each chart; ours as it stands on the page of scores."""
    modules = installed()
    kept: list[Path] = []
    with sync_api.sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=screenshots.chromium(), args=["--no-sandbox"]
        )
        state = screenshots.signed_in(browser, url, "noor", password)
        context = browser.new_context(
            viewport={"width": WIDTH + 360, "height": 900}, storage_state=state
        )
        page = context.new_page()
        page.set_default_timeout(screenshots.SLOW)
        page.goto(f"{url}/p/northport/rounds/{final}/results/")
        screenshots.settled(page)
        found = context.request.get(f"{url}/api/v1/projects/northport/rounds/{final}/results/")
        data = data_of(json.loads(found.text()))
        theirs = context.new_page()
        theirs.set_content("<!doctype html><body style='margin:8px;font:12px system-ui'></body>")
        for script in ("d3/dist/d3.min.js", "@observablehq/plot/dist/plot.umd.min.js"):
            theirs.add_script_tag(path=modules / script)
        page.evaluate(
            "() => document.querySelectorAll('main details.data').forEach(d => d.open = true)"
        )
        for name, (ours, draw) in CHARTS.items():
            kept.append(_kept(page, ours, into / f"look-{name}.webp"))
            theirs.evaluate(f"data => document.body.replaceChildren(({draw % WIDTH})(data))", data)
            kept.append(_kept(theirs, "body > *", into / f"look-{name}-plot.webp"))
        browser.close()
    return kept


def _kept(page: sync_api.Page, where: str, path: Path) -> Path:
    box = page.locator(where).first.bounding_box()
    assert box is not None, f"{where} is not on {page.url}"
    clip = {"x": box["x"], "y": box["y"], "width": box["width"], "height": box["height"]}
    path.write_bytes(screenshots.webp(page, {**clip, "scale": 1}))
    return path


def main(say: Callable[[str], object] = print) -> int:
    """Start the site, make the pictures, and say what they weigh."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    django.setup()
    from tests.e2e import site  # reads the settings

    with tempfile.TemporaryDirectory(prefix="look") as folder:
        running = site.Site(Path(folder), site.free_port())
        with running.running():
            with running.database():
                final = screenshots.final_round()
            kept = made(running.url, running.password, final, screenshots.PICTURES)
    for path in kept:
        say(f"{path.stat().st_size:>8}  {path.relative_to(env.BASE_DIR)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
