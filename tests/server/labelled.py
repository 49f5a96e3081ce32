#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""labelled.py HISTREE - a store whose values have labels shows them in every view: names, colours, the legend, and a
picture; a store of a kernel shows its own colours, as they are in the file."""
import json
import pathlib
import subprocess
import sys
import tempfile

from protocol import CONTROL_FLOW, EXPLORER, Client
from serving import SMALL_TRACE, Server, Tally, build

CHANGES = "time\tpath\tvalue\n0\tPress\t0\n100\tPress\t7\n200\tPress\t77\n50\tDoor\topen\n"
LABELS = """pattern\tvalue\tto\tname\tkey\tlight\tdark\theight
Press\t0\t\tswitched off\tOFF\t#010203\t#040506\t0.5
Press\t1\t9\tworks\tON\t#00ff00\t\t
*\topen\t\tstands open\t\t\t\t
"""


def load(histree, folder, labels=LABELS, name="made"):
    (folder / "changes.tsv").write_text(CHANGES)
    (folder / "labels.tsv").write_text(labels)
    store = folder / f"{name}.histree"
    subprocess.run([histree, "load", "-q", folder / "changes.tsv", "--label-file", folder / "labels.tsv", "--end", "1000",
                    "-o", store], check=True)
    return store


def explorer(histree, folder):
    with Server(histree, folder, [load(histree, folder, name="explored")]) as server:
        client = Client(histree, server)
        entries = {one["labels"][0]: one["id"] for one in client.model(f"timeGraph/{EXPLORER}/tree")["entries"]}
        styles = client.model(f"{EXPLORER}/style")["styles"]
        assert styles["OFF"]["values"] == {"style-name": "switched off", "background-color": "#010203", "height": 0.5}
        assert {"ON", "stands open", "colour 1", "Unknown"} <= set(styles)
        rows = client.model(f"timeGraph/{EXPLORER}/states", requested_items=[entries["Press"], entries["Door"]],
                            requested_timerange={"start": 0, "end": 1000, "nbTimes": 1001})["rows"]
        found = {row["entryId"]: [(one["start"], one.get("label"), one.get("style", {}).get("parentKey"))
                                  for one in row["states"]] for row in rows}
        press, door = found[entries["Press"]], found[entries["Door"]]
        assert press[:2] == [(0, "switched off", "OFF"), (100, "works", "ON")], press
        assert press[2][:2] == (200, "77") and press[2][2].startswith("colour "), press
        assert door[-1] == (50, "stands open", "stands open"), door


def page(histree, folder):
    with Server(histree, folder, [load(histree, folder, name="paged")]) as server:
        client = Client(histree, server)
        of = f"experiment={client.experiment()['UUID']}"
        ask = lambda path: json.loads(client.ask("GET", f"/api/v1/{path}")[2])
        legend = ask(f"legend?{of}")
        assert [one["name"] for one in legend["Press"]] == ["switched off", "works", "unknown"], legend
        assert legend["Press"][0] == {"key": "OFF", "name": "switched off", "light": "#010203", "dark": "#040506",
                                      "height": 0.5}
        assert "threads" in legend and "Press" not in ask("legend")
        state = next(found for row in range(2)
                     if (found := ask(f"state?{of}&view=attributes&row={row}&at=150"))["name"] == "Press")
        assert (state["name"], state["value"], state["text"]) == ("Press", "7", "works"), state
        assert state["style"]["key"] == "ON" and state["style"]["dark"] == "#00ff00"
        found = ask(f"search-state?{of}&view=attributes&text=State%20%3D%3D%20%22works%22&at=0&position=0&backwards=0")
        assert found["start"] == 100, found


def picture(histree, folder):
    store = load(histree, folder, name="drawn")
    file = folder / "drawn.svg"
    done = subprocess.run([histree, "draw", "-o", file, store], check=False, capture_output=True, text=True)
    if done.returncode != 0:
        assert "cairo" in done.stderr, done.stderr
        return
    assert "rgb(0%,100%,0%)" in file.read_text(), "the colour of a label is not in the picture"


def kernel(histree, folder):
    """Colours of a kernel's states are those of the file, whatever the code knows of its analysis."""
    store = build(histree, SMALL_TRACE, folder / "kernel.histree")
    listed = subprocess.run([histree, "info", store, "--labels", "--format", "tsv"], check=True, capture_output=True, text=True)
    (folder / "green.tsv").write_text(listed.stdout.replace("#12936a", "#00ff00").replace("user mode", "in its program"))
    dumped = subprocess.run([histree, "states", store, "--format", "tsv"], check=True, capture_output=True, text=True)
    (folder / "dumped.tsv").write_text(dumped.stdout)
    subprocess.run([histree, "load", "-q", "-a", "kernel", folder / "dumped.tsv", "--label-file", folder / "green.tsv", "-o",
                    folder / "green.histree"], check=True)
    for name, colour, said in ("kernel", "#12936A", "user mode"), ("green", "#00FF00", "in its program"):
        with Server(histree, folder, [folder / f"{name}.histree"]) as server:
            styles = Client(histree, server).model(f"{CONTROL_FLOW}/style")["styles"]
        found = styles["Usermode"]["values"]
        assert (found["background-color"], found["style-name"]) == (colour, said), found


def main():
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        for test in explorer, page, picture, kernel:
            tally.run(test.__name__, lambda: test(sys.argv[1], pathlib.Path(folder)))
    return tally.finish()


if __name__ == "__main__":
    sys.exit(main())
