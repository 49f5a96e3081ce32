# SPDX-License-Identifier: MIT
"""
Random recordings of samples with call chains, as `perf record -g` makes them, and a plain model of what they say: the names of the
stack of each sample.  The model keeps all that was ever mapped and looks through it from the newest to the oldest.
"""
import struct

IP, TID, TIME, CALLCHAIN, CPU, PERIOD, IDENTIFIER = (1 << bit for bit in (0, 1, 2, 5, 7, 8, 16))
MMAP, COMM, EXIT, FORK, SAMPLE, MMAP2 = 1, 3, 4, 7, 9, 10
KERNEL, USER = 2**64 - 128, 2**64 - 512
BUILD_ID, EVENT_DESC, MAGIC = 2, 12, 0x32454c4946524550
EVENTS = [("cpu-clock", 1, 0, True), ("cycles:u", 0, 0, True), ("page-faults", 1, 2, False)]  # name, type, config, by frequency
KERNEL_FUNCTIONS = [(2**64 - 2**40 + 0x1000 * i, f"kernel_{i}") for i in range(8)]


class Sample:
    def __init__(self, time, event, period, pid, tid, cpu, frames, names):
        self.time, self.event, self.period, self.pid, self.tid, self.cpu = time, event, period, pid, tid, cpu
        self.frames, (self.process, self.thread) = frames, names


class Recording:
    """`binaries` are (path, build id or b"", functions as (name, offset, size), offset and size of code)."""

    def __init__(self, pick, binaries, has_kernel_names):
        self.pick, self.binaries, self.has_kernel_names = pick, binaries, has_kernel_names
        self.order = pick.choice("<>")
        self.has_cpus, self.has_chains = pick.random() < 0.5, pick.random() < 0.9
        self.events = pick.sample(EVENTS, pick.choice([1, 1, 2, 3]))
        self.maps, self.names, self.threads = {}, {}, {}  # by pid; by tid; by pid
        self.records, self.samples, self.time = b"", [], 10**9
        self.begin, self.end = None, None  # of what has a time
        self.says_build_ids = pick.choice(["header", "record", "nowhere"])

    def pack(self, layout, *values):
        return struct.pack(self.order + layout, *values)

    def sample_type(self):
        parts = IP | TID | TIME | IDENTIFIER | (CPU if self.has_cpus else 0) | (CALLCHAIN if self.has_chains else 0)
        return parts | (PERIOD if any(event[3] for event in self.events) else 0)

    def attribute(self, event):
        flags = 1 << 18 | (1 << 10 if event[3] else 0)
        if self.order == ">":
            flags = int(f"{flags:064b}"[::-1], 2)
        return self.pack("IIQQQQQ", event[1], 128, event[2], 4000 if event[3] else 7, self.sample_type(), 4, flags).ljust(128, b"\0")

    def record(self, kind, body, misc=0, time=1):
        if time != 0:
            self.begin, self.end = self.begin or self.time, self.time
        self.records += self.pack("IHH", kind, misc, 8 + len(body)) + body

    def side(self, kind, body, pid, tid, time, misc=0):
        trailer = self.pack("IIQ", pid, tid, time) + (self.pack("II", 0, 0) if self.has_cpus else b"") + self.pack("Q", 100)
        self.record(kind, body + trailer, misc, time)

    def text(self, words):
        return words.encode().ljust((len(words.encode()) + 8) // 8 * 8, b"\0")

    # ---- what happens

    def name(self, pid, tid, words, time, is_exec=False):
        self.side(COMM, self.pack("II", pid, tid) + self.text(words), pid, tid, time, 1 << 13 if is_exec else 0)
        self.names[tid] = words[:255]
        if is_exec:
            self.maps[pid] = []

    def map(self, pid, time):
        pick = self.pick
        path, build_id, _, offset, size = pick.choice(self.binaries)
        begin, length = 0x1000 * pick.randint(16, 80), 0x1000 * pick.randint(1, size // 0x1000)
        skip = 0x1000 * pick.randint(0, (size - length) // 0x1000)
        self.put_map(pid, time, path, build_id, begin, length, offset + skip, pick.random() < 0.2)

    def put_map(self, pid, time, path, build_id, begin, length, offset, is_old=False):
        head = self.pack("IIQQQ", pid, pid, begin, length, offset)
        self.maps.setdefault(pid, []).append((begin, length, offset, path))
        if is_old:
            return self.side(MMAP, head + self.text(path), pid, pid, time)
        has_id = self.says_build_ids == "record" and build_id
        middle = bytes([len(build_id), 0, 0, 0]) + build_id.ljust(20, b"\0") if has_id else self.pack("IIQQ", 8, 1, 77, 0)
        return self.side(MMAP2, head + middle + self.pack("II", 5, 2) + self.text(path), pid, pid, time, 1 << 14 if has_id else 0)

    def fork(self, pid, is_thread):
        tid = 100 + len(self.names)
        child = pid if is_thread else tid
        parent = self.pick.choice(self.threads[pid])
        self.side(FORK, self.pack("IIIIQ", child, pid, tid, parent, self.time), pid, parent, self.time)
        if parent in self.names:
            self.names[tid] = self.names[parent]
        else:
            self.names[tid] = None
        self.threads.setdefault(child, []).append(tid)
        if not is_thread:
            self.maps[child] = list(self.maps.get(pid, []))

    # ---- samples

    def frames_of(self, pid, address, is_call):
        """Names of one address of a program, "[path]" where there is none."""
        at = address - 1 if is_call and address > 0 else address
        for begin, length, offset, path in reversed(self.maps.get(pid, [])):
            if begin <= at < begin + length:
                place = at - begin + offset
                functions = next(binary[2] for binary in self.binaries if binary[0] == path)
                for name, start, size in functions:
                    if start <= place < start + size:
                        return name
                return path if path.startswith("[") else f"[{path.rpartition('/')[2]}]"
        return "[unknown]"

    def kernel_frame(self, address, is_call):
        at = address - 1 if is_call else address
        found = [name for start, name in KERNEL_FUNCTIONS if start <= at]
        return found[-1] if self.has_kernel_names and found else "[kernel]"

    def address(self, pid):
        """Often at the edge of a function, or of what is mapped."""
        pick, maps = self.pick, self.maps.get(pid, [])
        if not maps or pick.random() < 0.1:
            return pick.randint(0xf000, 0x52000)
        begin, length, _, _ = pick.choice(maps)
        return begin + pick.choice([pick.randint(0, length), 0x200 * pick.randint(0, length // 0x200), length])

    def sample(self):
        pick = self.pick
        number = pick.randrange(len(self.events))
        pid = pick.choice(list(self.threads))
        tid, cpu = pick.choice(self.threads[pid]), pick.randrange(4)
        user = [self.address(pid) for _ in range(pick.choice([0, 1, 2, 3, 8]))]
        kernel = [KERNEL_FUNCTIONS[0][0] + pick.choice([pick.randint(0, 0x8fff), 0x1000 * pick.randint(0, 8)]) for _ in range(pick.choice([0, 0, 1, 4]))]
        if not user and not kernel:
            user = [self.address(pid)]
        chain = ([KERNEL] + kernel if kernel else []) + ([USER] + user if user else [])
        self.put(number, pid, tid, cpu, kernel, user, pick.randint(1, 10**6), self.has_chains and pick.random() < 0.05)

    def put(self, number, pid, tid, cpu, kernel, user, period, is_empty=False):
        """A sample of an event; addresses are innermost first."""
        chain = ([KERNEL] + kernel if kernel else []) + ([USER] + user if user else [])
        body = self.pack("QQIIQ", 100 + number, (kernel + user)[0], pid, tid, self.time)
        body += self.pack("II", cpu, 0) if self.has_cpus else b""
        if self.sample_type() & PERIOD:
            body += self.pack("Q", period)
        else:
            period = 7
        if self.has_chains:
            body += self.pack("Q", 0) if is_empty else self.pack(f"Q{len(chain)}Q", len(chain), *chain)
        self.record(SAMPLE, body, 1 if kernel else 2)
        if is_empty or not self.has_chains:
            kernel, user = kernel[:1], [] if kernel else user[:1]
        names = [self.frames_of(pid, address, i > 0) for i, address in enumerate(user)][::-1]
        names += [self.kernel_frame(address, i > 0) for i, address in enumerate(kernel)][::-1]
        frames = [name for i, name in enumerate(names) if i == 0 or name != names[i - 1] or name[0] != "["]
        self.samples.append(Sample(self.time, self.events[number][0], period, pid, tid, cpu if self.has_cpus else None, frames,
                                   (self.names.get(pid), self.names.get(tid))))

    def draw(self, count):
        pick = self.pick
        for pid in pick.sample(range(10, 99), pick.choice([1, 3])):  # that were there before
            self.threads[pid] = [pid]
            if pick.random() < 0.8:
                self.name(pid, pid, pick.choice([f"old {pid}", "old" + "x" * 50000]), 0)
            for _ in range(pick.choice([0, 2, 6])):
                self.map(pid, 0)
        for _ in range(count):
            self.time += pick.choice([1, 10, 1000])
            chance = pick.random()
            pid = pick.choice(list(self.threads))
            if chance < 0.85:
                self.sample()
            elif chance < 0.93:
                self.map(pid, self.time)
            elif chance < 0.96:
                self.fork(pid, pick.random() < 0.5)
            else:
                self.name(pid, pick.choice(self.threads[pid]), f"named {self.time}" + "y" * pick.choice([0, 0, 0, 50000]), self.time, pick.random() < 0.3)

    def write(self, path):
        count = len(self.events)
        ids_at = 104 + 144 * count
        attributes = b"".join(self.attribute(event) + self.pack("QQ", ids_at + 8 * i, 8) for i, event in enumerate(self.events))
        ids = b"".join(self.pack("Q", 100 + i) for i in range(count))
        words = self.pack("II", count, 128)
        for i, event in enumerate(self.events):
            words += self.attribute(event) + self.pack("II", 1, 32) + event[0].encode().ljust(32, b"\0") + self.pack("Q", 100 + i)
        build_ids = b""
        for binary, build_id, _, _, _ in self.binaries if self.says_build_ids == "header" else []:
            if build_id:
                entry = self.pack("i", -1) + build_id.ljust(20, b"\0") + bytes([len(build_id), 0, 0, 0]) + self.text(binary)
                build_ids += self.pack("IHH", 67, 1 << 15 | 2, 8 + len(entry)) + entry
        begin = ids_at + 8 * count
        behind = begin + len(self.records)
        tables = self.pack("QQQQ", behind + 32, len(build_ids), behind + 32 + len(build_ids), len(words))
        path.write_bytes(self.pack("QQQQQQQQQ", MAGIC, 104, 144, 104, 144 * count, begin, len(self.records), 0, 0) +
                         self.pack("QQQQ", 1 << BUILD_ID | 1 << EVENT_DESC, 0, 0, 0) + attributes + ids + self.records + tables +
                         build_ids + words)
