# Events of programs that do not say of which thread they are: the kernel's trace of the same host knows who ran on their CPU.
PYTHONPATH=$(realpath "$DATA/../hostile") PYTHONDONTWRITEBYTECODE=1 python3 - <<'END'
import struct
import ctf_trace as ctf

# CPU 0 runs 500, 501, nobody and 500 again, CPU 1 runs 501 from 460 on; events of CPU 1 are lost from 520 to 600.
kernel = ctf.small()
kernel.streams = {
    "kernel_0": [ctf.Packet([ctf.switch(100, 9, 500, b"painter"), ctf.switch(200, 500, 501, b"helper"),
                             ctf.switch(300, 501, 0, b"swapper"), ctf.switch(400, 0, 500, b"painter"),
                             ctf.switch(900, 500, 0, b"swapper")], 100, 900)],
    "kernel_1": [ctf.Packet([ctf.switch(460, 0, 501, b"helper")], 460, 520, 0, 0, 1),
                 ctf.Packet([ctf.switch(700, 0, 501, b"helper")], 600, 800, 1, 3, 1)],
}
kernel.write("both/kernel")

def program(name, events, context="", more=lambda time: b""):
    made = ctf.small()
    made.parts["trace"] = made.parts["trace"].replace("20212223-", "30313233-")
    made.parts["env"] = made.parts["env"].replace('"kernel"', '"ust"').replace("lttng-modules", "lttng-ust")
    head, tail = made.parts["stream"].split("\tpacket.context")
    made.parts["stream"] = head + context + "\tpacket.context" + tail
    made.parts["events"] = (
        ctf.event_class(0, "lttng_ust_cyg_profile:func_entry", "uint64_t _addr; uint64_t _call_site;") +
        ctf.event_class(1, "lttng_ust_cyg_profile:func_exit", "uint64_t _addr; uint64_t _call_site;") +
        ctf.event_class(2, "lttng_ust_libc:malloc", "uint64_t _size; uint64_t _ptr;") +
        ctf.event_class(3, "lttng_ust_libc:free", "uint64_t _ptr;"))
    made.streams = {}
    for cpu in {each[1] for each in events}:
        of_cpu = [each for each in events if each[1] == cpu]
        packet = ctf.Packet([ctf.event(kind, time, more(time) + struct.pack(f"<{len(numbers)}Q", *numbers))
                             for time, _, kind, *numbers in of_cpu], of_cpu[0][0], of_cpu[-1][0], 0, 0, cpu)
        made.streams[f"program_{cpu}"] = [packet.encode()[:4] + bytes(range(48, 52)) + packet.encode()[8:]]
    made.write(name)

CALLS = [(50, 0, 0, 0x10, 0), (120, 0, 0, 0x20, 0), (150, 0, 0, 0x30, 0), (210, 0, 0, 0x40, 0), (250, 0, 1, 0x40, 0),
         (350, 0, 0, 0x50, 0), (420, 0, 1, 0x30, 0), (450, 0, 1, 0x20, 0), (480, 1, 0, 0x60, 0), (490, 1, 1, 0x60, 0),
         (650, 1, 0, 0x70, 0), (720, 1, 0, 0x80, 0), (760, 1, 1, 0x80, 0)]
HEAP = [(110, 0, 2, 100, 0x1000), (220, 0, 2, 30, 0x2000), (320, 0, 2, 7, 0x3000), (410, 0, 3, 0x1000)]
program("both/program", CALLS)
program("heap/program", HEAP)
program("alone", CALLS)
CONTEXT = "\tevent.context := struct { int32_t _vtid; };\n"
program("named/program", CALLS, CONTEXT, lambda time: struct.pack("<i", 42))
COUNTER = "\tevent.context := struct { uint64_t _perf_thread_cycles; };\n"
program("counted/program", CALLS, COUNTER, lambda time: struct.pack("<Q", time * 3))
program("later/program", [(each[0] + 3600 * 10**9, *each[1:]) for each in CALLS])

# Threads that move between CPUs, and call functions where they run: with vtid and without, it comes to the same.
import random
draw = random.Random(7)
switches, calls, depth, now = [], [], {}, 1000
running = [0, 0, 0]
for _ in range(600):
    now += draw.randint(1, 50)
    cpu = draw.randrange(3)
    idle = [tid for tid in range(60, 67) if tid not in running]
    if running[cpu] == 0 or draw.random() < 0.3:
        after = draw.choice(idle + [0])
        if after != running[cpu]:
            switches.append((now, cpu, running[cpu], after))
            running[cpu] = after
        continue
    tid = running[cpu]
    stack = depth.setdefault(tid, [])
    if stack and draw.random() < 0.5:
        calls.append((now, cpu, 1, stack.pop(), 0, tid))
    else:
        stack.append(draw.randint(1, 5) * 16)
        calls.append((now, cpu, 0, stack[-1], 0, tid))
of_time = {each[0]: each[5] for each in calls}
kernel = ctf.small()
kernel.streams = {f"kernel_{cpu}": [ctf.Packet([ctf.switch(*each[:1], *each[2:]) for each in switches if each[1] == cpu],
                                               1000, now, 0, 0, cpu)] for cpu in range(3)}
for name, context, more in (("drawn", "", lambda time: b""),
                            ("told", CONTEXT, lambda time: struct.pack("<i", of_time[time]))):
    kernel.write(f"{name}/kernel")
    program(f"{name}/program", [each[:5] for each in calls], context, more)
END
for name in heap named counted later; do
	cp -r both/kernel $name/kernel
done
warnings() {
	echo "$ build $*"
	histree build "$@" 2>&1 | grep -E ': warning: (ust|counters)'
}
warnings -a ust-calls,function-calls -o both.histree both
histree states both.histree -a ust-calls | cut -f 1-5
histree segments both.histree function-calls --format tsv | cut -f 1-6
warnings -a ust-memory -o heap.histree heap
histree states heap.histree -a ust-memory | cut -f 1-5
warnings -a counters -o counted.histree counted
histree states counted.histree -a counters | cut -f 1-5
# Alone it knows of nobody; what says so itself is believed; and the kernel's trace of another time says nothing.
warnings -a ust-calls -o alone.histree alone
warnings -a ust-calls -o named.histree named
histree info --attributes named.histree -a ust-calls 'Threads/*'
warnings -a ust-calls -o later.histree later
for name in drawn told; do
	histree build -q -a ust-calls,function-calls -o $name.histree $name
	histree states $name.histree -a ust-calls --format tsv | grep -v /Name >$name.calls
	histree segments $name.histree function-calls --format tsv | cut -f 1-5 >>$name.calls
done
cmp drawn.calls told.calls && wc -l <told.calls
