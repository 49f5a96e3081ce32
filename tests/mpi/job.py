# SPDX-License-Identifier: MIT
"""What the tests of histree-mpi share: jobs of some ranks that end in bounded time and leave no process behind."""
import hashlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

SKIPPED = 77
TIMEOUT = 120


def environment(**more):
    """
    Open MPI refuses to run as root unless it is told twice.  What leaks in its modules cannot be told from what leaks in
    ours: they are unloaded by the time that leaks are looked for, and have no names then.  So nobody looks.

    By default the ranks of a node read what the launcher's PMIx 4 knows from shared memory, under a lock that a rank that
    is killed just then holds for ever: the launcher then waits in pmix_ds21_lock_wr_get() and never ends, whatever the
    program is.  With "hash" each rank asks for it (histree-mpi(1)).
    """
    sanitizer = os.environ.get("ASAN_OPTIONS", "")
    return {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "ASAN_OPTIONS": f"{sanitizer}:detect_leaks=0" if sanitizer else "detect_leaks=0",
            "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "PMIX_MCA_gds": "hash", **more}


def launcher():
    """The path of mpirun; the test is skipped where there is none."""
    path = shutil.which("mpirun")
    if path is None:
        print("skipped: there is no mpirun (Debian: openmpi-bin)")
        sys.exit(SKIPPED)
    return path


def command(ranks, *words):
    return [launcher(), "-q", "--oversubscribe", "-n", str(ranks), *map(str, words)]


def rank_0(pid):
    """The process of that rank; the launcher, if it has ended."""
    for child in ranks_of(pid):
        try:
            said = pathlib.Path(f"/proc/{child}/environ").read_bytes()
        except OSError:
            continue
        if b"OMPI_COMM_WORLD_RANK=0" in said.split(b"\0"):
            return child
    return pid


def ranks_of(pid):
    """The processes that this one has started, and theirs: a launcher has its ranks as children."""
    parents = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            text = path.read_text()
        except OSError:
            continue
        parents[int(text.split()[0])] = int(text.rpartition(")")[2].split()[1])
    found, todo = [], [pid]
    while todo:
        parent = todo.pop()
        children = sorted(child for child, above in parents.items() if above == parent)
        found += children
        todo += children
    return found


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def read(path):
    try:
        return path.read_text(errors="replace").strip()
    except OSError as wrong:
        return f"({wrong.strerror})"


def where(pids):
    """Which process is where: for a job that hangs. A backtrace of each thread, where there is gdb."""
    lines = []
    for pid in pids:
        folder = pathlib.Path(f"/proc/{pid}")
        rank = [word.partition("=")[2] for word in read(folder / "environ").split("\0")
                if word.startswith("OMPI_COMM_WORLD_RANK=")]
        state = [line for line in read(folder / "status").splitlines() if line.startswith(("State:", "PPid:", "Sig"))]
        lines += [f"process {pid}, rank {rank[0] if rank else 'none'}: {read(folder / 'cmdline').replace(chr(0), ' ')}",
                  "  " + "; ".join(" ".join(line.split()) for line in state), f"  waits in {read(folder / 'wchan')}"]
        lines += [f"  {line}" for line in read(folder / "stack").splitlines()]
        if is_alive(pid) and shutil.which("gdb"):
            try:
                done = subprocess.run(["gdb", "-batch", "-nx", "-p", str(pid), "-ex", "thread apply all bt 16"],
                                      capture_output=True, timeout=60, stdin=subprocess.DEVNULL, check=False)
                lines += [f"  {line}" for line in done.stdout.decode(errors="replace").splitlines()
                          if line.startswith(("#", "Thread"))]
            except (OSError, subprocess.TimeoutExpired) as wrong:
                lines.append(f"  gdb: {wrong}")
    return "\n".join(lines) + "\n"


def end(pids, patience=10.0):
    """Wait until the processes are over; returns those that had to be killed."""
    until = time.monotonic() + patience
    left = [pid for pid in pids if is_alive(pid)]
    while left and time.monotonic() < until:
        time.sleep(0.01)
        left = [pid for pid in left if is_alive(pid)]
    for pid in left:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return left


def run(ranks, *words, is_patient=None, **more):
    """
    Run a job to its end; returns exit status, standard output, standard error.  A launcher whose job has ended badly waits
    two seconds for the ranks' last words, which only a build has that has begun.  Where it was not to wait and has lost a
    sentence or its end, as it may on a busy machine, the job runs once more with patience.
    """
    if is_patient is None:
        is_patient = "build" in words
    if not is_patient:
        more["OMPI_MCA_odls_base_sigkill_timeout"] = "0"
    job = subprocess.Popen(command(ranks, *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(**more))
    try:
        out, err = job.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        pids = ranks_of(job.pid)
        places = where([job.pid, *pids])
        job.kill()
        end(pids, 0)
        out, err = job.communicate()
        raise AssertionError(f"a job hangs: {words}\n{err.decode(errors='replace')}\n{places}") from None
    if not is_patient and job.returncode != 0 and not err.endswith(b"\n"):
        return run(ranks, *words, is_patient=True, **{**more, "OMPI_MCA_odls_base_sigkill_timeout": "2"})
    return job.returncode, out, err.decode(errors="replace")


def alone(*words):
    """Run a program without a launcher."""
    done = subprocess.run(list(map(str, words)), capture_output=True, timeout=TIMEOUT, env=environment(), check=False)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def sums(store):
    """The sum of each file of a store but its manifests, which say when it was built."""
    return {str(path.relative_to(store)): hashlib.md5(path.read_bytes()).hexdigest()
            for path in sorted(pathlib.Path(store).rglob("*")) if path.is_file() and path.name != "manifest.json"}


def make_traces(generate, folder, hosts, threads=60):
    """Traces of several hosts, of different sizes."""
    folder.mkdir(parents=True)
    names = [f"VM{i + 1}" for i in range(hosts)]
    for i, name in enumerate(names):
        subprocess.run([generate, "--threads", str(threads * (i % 3 + 1)), "--seed", str(i + 1), "--host", name,
                        "-o", str(folder / name)], check=True, stdout=subprocess.DEVNULL)
    return [folder / name for name in names]
