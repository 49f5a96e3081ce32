# SPDX-License-Identifier: MIT
"""The files that examples of the manual are about, by the names that they have there: made, small, and some seconds long."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
sys.path.insert(0, str(ROOT / "tests" / "support"))
import two_hosts  # noqa: E402

START, SECONDS, STEP = 1000, 4, 1_000_000  # a switch each millisecond
NAMES = {0: "swapper/0", 2673: "multithread", 1382: "vlc", 300: "nginx", 42: "worker"}


def kernel_text(seed=0):
    """What ftrace prints of one CPU: threads that take turns, call, write to a disk, are woken and interrupted; its frequency."""
    order, lines = [2673, 0, 1382, 300, 42, 2673], []
    for turn in range(SECONDS * 1000):
        now = turn * STEP
        before, after = order[(turn + seed) % len(order)], order[(turn + seed + 1) % len(order)]

        def say(late, what, task=before, now=now):
            time = START * 10**9 + now + late
            lines.append(f"{NAMES[task]:>16}-{task:<7} [000] d..1. {time // 10**9}.{time % 10**9:09}: {what}\n")

        if before != 0:
            say(10_000, "sys_enter: NR 202 (1, 2, 3, 4, 5, 6)")
            if turn % 20 == 0:
                say(20_000, f"block_rq_issue: 8,0 W 4096 () {turn} + 8 [{NAMES[before]}]")
                say(90_000, f"block_rq_complete: 8,0 W () {turn} + 8 [0]")
        say(100_000, "irq_handler_entry: irq=19 name=ahci")
        say(110_000, "irq_handler_exit: irq=19 ret=handled")
        say(120_000, "softirq_entry: vec=1 [action=TIMER]")
        say(130_000, "softirq_exit: vec=1 [action=TIMER]")
        if before != 0:
            say(200_000, "sys_exit: NR 202 = 0")
        if turn % 100 == 0:
            say(300_000, f"cpu_frequency: state={2_400_000 + turn} cpu_id=0")
        if after != 0:
            say(400_000, f"sched_wakeup: comm={NAMES[after]} pid={after} prio=120 target_cpu=000")
        say(STEP - 1, f"sched_switch: prev_comm={NAMES[before]} prev_pid={before} prev_prio=120 "
                      f"prev_state={'R' if before in (0, 42) else 'S'} ==> next_comm={NAMES[after]} next_pid={after} next_prio=120")
    return "# tracer: nop\n" + "".join(lines)


def samples_text():
    """What perf script prints of samples of two threads."""
    return "".join(f"{name} {tid}/{tid} [000] {START + turn // 100}.{turn % 100:02}0000: 10000 cycles:\n"
                   f"\t{4096 + turn % 3:x} {'draw' if turn % 3 else 'wait'} (app)\n\t1000 main (app)\n\n"
                   for turn in range(SECONDS * 100) for name, tid in [("worker", 4711 + turn % 2)])


SPANS = """{"traceEvents": [
{"ph": "M", "name": "thread_name", "pid": 7, "tid": 42, "args": {"name": "worker"}},
{"ph": "B", "name": "frame", "pid": 7, "tid": 42, "ts": 0}, {"ph": "B", "name": "draw", "pid": 7, "tid": 42, "ts": 200000},
{"ph": "C", "name": "bytes", "pid": 7, "ts": 300000, "args": {"heap": 5}}, {"ph": "C", "name": "bytes", "pid": 7, "ts": 900000, "args": {"heap": 9}},
{"ph": "E", "pid": 7, "tid": 42, "ts": 2200000}, {"ph": "E", "pid": 7, "tid": 42, "ts": 2500000}]}
"""

TABLES = {
    "doors.tsv": "time\tpath\tvalue\n10\tDoors/front\topen\n30\tDoors/front\tclosed\n",
    "later.tsv": "time\tpath\tvalue\n70\tDoors/front\topen\n",
    "machines.tsv": "time\tpath\tvalue\n10\tMachines/press\t0\n30\tMachines/press\t4\n",
    "labels.tsv": "pattern\tvalue\tto\tname\tlight\nMachines/*\t0\t\tswitched off\t#99a1ac\nMachines/*\t1\t9\tworks\t#12936a\n",
    "jobs.csv": "time,name,cpu\n1795195823901048832,job_begins,0\n1795195823911048832,job_ends,0\n",
    "requests.csv": "start,end,name\n10,20,GET\n15,40,PUT\n",
    "switches.csv": "ts,kind,core,prev_comm,prev_tid,prev_prio,prev_state,next_comm,next_tid,next_prio\n"
                    "12.000345,sched_switch,0,bash,100,20,1,cat,101,20\n12.000845,sched_switch,0,cat,101,20,1,bash,100,20\n",
}


def analyses():
    """Those that histree-analysis(5) has as examples, by name."""
    page = (ROOT / "docs" / "man" / "histree-analysis.5.scd").read_text(encoding="utf-8")
    return {name: text.replace("\\\\", "\\") for text, name in re.findall(r"^```\n(analysis ([\w-]+) .*?)^```", page, re.M | re.S)}


def make(histree, many_threads):
    """Into the current folder; `many_threads` is that trace, or None where it is not at hand."""
    here = pathlib.Path()

    def build(name, *words):
        subprocess.run([histree, "build", "-q", "-o", name, *words], check=True, stderr=subprocess.DEVNULL)

    os.environ["HOME"] = str(here.resolve())
    for folder in ".zsh", ".config/fish", ".local/share/bash-completion":
        (here / folder / "completions").mkdir(parents=True)
    files = {f"{name}.histree-analysis": text for name, text in analyses().items()}
    files["my.histree-analysis"] = files["who-runs.histree-analysis"]
    for name, text in {**TABLES, **files, "trace": kernel_text(), "other.txt": kernel_text(3), "samples.txt": samples_text(),
                       "trace.json": SPANS}.items():
        (here / name).write_text(text, encoding="utf-8")
    subprocess.run(["gzip", "-k", "trace.json"], check=True)
    (here / "lttng-traces").mkdir()
    for place in "many-threads", "lttng-traces/many-threads":
        (here / place).symlink_to(many_threads or (here / "trace").resolve())
    build("many-threads.histree", "many-threads")
    shutil.copytree("many-threads.histree", "copy.histree")
    os.truncate("copy.histree/kernel.sht", os.path.getsize("copy.histree/kernel.sht") // 2)
    for name, source in {"trace.pftrace": "perfetto-made/both.pftrace", "trace.dat": "dat-made/zlib.dat", "perf.data": "perf-made/chains.data",
                         "glxgears-cyg-profile": "ctf-calls", "sender": "demo-trace", "receiver": "ctf-perf-small"}.items():
        (here / name).symlink_to(DATA / source)
    two_hosts.write(here, two_hosts.rounds(5, 20), lambda time: time + 2_000_000)
    for name, host in {"client.txt": "a", "server.txt": "b"}.items():
        (here / host).rename(name)
    for name in "run.histree", "yesterday.histree", "demo.histree", "laptop.histree", "server.histree", "states.histree":
        build(name, "trace", *(["-a", "kernel"] if name.startswith("states") else []))
    build("today.histree", "other.txt")
    build("web.histree", "-a", "kernel,kernel-tc", "trace")
    for name, hosts in {"cluster.histree": ("web1", "web2"), "lab.histree": ("VM1", "VM2")}.items():
        build(name, "--clock", "none", "--host-dir", f"{hosts[0]}=trace", "--host-dir", f"{hosts[1]}=other.txt")
    for name in "app.histree", "old.histree", "new.histree":
        build(name, "samples.txt")
    build("glxgears.histree", "glxgears-cyg-profile")
    build("trace.json.histree", "trace.json.gz")
