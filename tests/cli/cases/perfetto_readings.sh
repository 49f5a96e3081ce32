# What Perfetto's data sources read off a system from time to time: counters, lines of a log, stages of a GPU, frames.
cat >make.py <<'EOP'
import struct
import sys
sys.path.insert(0, sys.argv[1] + "/../perfetto")
from perfetto_trace import BOOTTIME, REALTIME, clocks, data, number, packed, packet, process_tree, real, trace, varint


def real32(field, value):
    return varint(field << 3 | 5) + struct.pack("<f", value)


def message(field, *parts):
    return data(field, b"".join(parts))


def stats(kind, time, *parts):
    return packet(message(kind, *parts), time=time, flags=1)


def frames(time, kind, *parts):
    return packet(data(76, message(kind, *parts)), time=time)


open("readings.pftrace", "wb").write(trace([
    clocks((BOOTTIME, 0), (REALTIME, 1_000_000_000), primary=BOOTTIME),
    process_tree([(100, 1, ["/system/bin/app"]), (200, 1, ["/bin/other"])]),
    # sys_stats: each of its lists.
    stats(7, 1000, message(1, number(1, 2), number(2, 1000)), message(2, number(1, 49), number(2, 7)),
          message(2, number(1, 500), number(2, 8)),
          message(3, number(1, 0), number(2, 10), number(4, 20), number(5, 30)), number(4, 9), number(5, 100),
          message(6, number(1, 11), number(2, 5)), number(7, 50), message(8, number(1, 1), number(2, 6)),
          message(10, data(1, "gpu"), number(2, 500)), packed(11, [1000, 2000]),
          message(12, data(1, "0"), data(2, "Normal"), packed(3, [1, 2])),
          message(13, data(1, "sda"), number(2, 8), number(5, 3)), message(14, number(1, 3), number(2, 77)),
          message(15, data(1, "tz0"), number(2, 45), data(3, "cpu-thermal")),
          message(16, number(1, 1), message(2, data(1, "C1"), number(2, 5))), number(17, 300),
          message(18, data(1, "dentry"), number(2, 2), number(3, 4)),
          message(19, data(1, "/sys/fs/cgroup/a"), message(2, number(1, 3), number(2, 12)))),
    stats(7, 2000, message(1, number(1, 2), number(2, 900)), number(11, 1500), number(11, 2500)),
    stats(7, None, number(4, 10)),
    # process_stats, battery, power_rails, gpu_counter_event, gpu_mem_total_event, energy, entity_state_residency
    stats(9, 1500, message(1, number(1, 100), number(2, 2000), number(3, 50), number(10, -5), number(21, 7000), number(22, 900))),
    stats(9, 2500, message(1, number(1, 100), number(3, 60))),
    stats(38, 3000, number(1, 4000), real32(2, 87.5), number(3, -120)),
    stats(40, 3500, message(1, number(1, 1), data(2, "S2M")), message(2, number(1, 1), number(2, 5), number(3, 12345)),
          message(2, number(1, 2), number(3, 5))),
    stats(52, 4000, data(1, message(1, number(1, 7), data(2, "busy"))), message(2, number(1, 7), real(3, 12.5)),
          message(2, number(1, 8), number(2, 3))),
    stats(71, 4200, number(2, 100), number(3, 4096)), stats(71, 4201, number(3, 9000)),
    stats(77, 6000, data(1, message(1, number(1, 3), data(4, "DISPLAY"))), number(2, 3), number(3, 777)),
    stats(91, 7000, message(1, number(1, 0), number(2, 1), data(3, "modem"), data(4, "sleep")),
          message(2, number(1, 0), number(2, 1), number(3, 42))),
    # gpu_render_stage_event, with the names of its queue and stage
    packet(message(53, number(1, 1), number(2, 50), number(13, 1), number(14, 2)),
           data(12, message(24, number(1, 1), data(2, "Fragment")) + message(24, number(1, 2), data(2, "Binning"))),
           time=4100, flags=1),
    # Numbers that differ above their lowest bits are of others: GPUs, queues, states.
    *[packet(message(53, number(1, 9), number(2, 5), number(11, gpu), number(13, queue), number(14, 2)), time=4200)
      for gpu, queue in ((7, 5), (7 + 256, 5), (7, 5 + 2**32))],
    packet(message(91, *[message(1, number(1, 3), number(2, state), data(3, "wifi"), data(4, name))
                         for state, name in ((1, "on"), (1 + 2**24, "off"))],
                   *[message(2, number(1, 3), number(2, state), number(3, state)) for state in (1, 1 + 2**24)]), time=7100),
    # Two writers have the same ids of counters for GPUs of their own; b looks ahead, the others look back.
    *[packet(data(12, message(47, number(1, 1), message(2, message(1, number(1, 1), data(2, name), number(11, way))),
                              number(3, gpu))), sequence=10 + gpu, flags=1) for name, gpu, way in (("a", 3, 1), ("b", 4, 2))],
    *[packet(message(52, number(4, 1), message(2, number(1, 1), number(2, value))), time=time, sequence=10 + gpu, flags=2)
      for time, gpu, value in ((4000, 3, 10), (4000, 4, 20), (4100, 3, 11), (4100, 4, 21), (4200, 3, 12), (4200, 4, 22))],
    # Ids of these writers are the same but for a multiple of 65,536, and d has interned two descriptors for one GPU.
    *[packet(data(12, b"".join(message(47, number(1, iid), message(2, message(1, number(1, 1), data(2, name))), number(3, 261))
                               for iid, name in names)), sequence=sequence, flags=1)
      for sequence, names in ((20, [(1, "c")]), (20 + 65536, [(1, "d1"), (2, "d2")]))],
    *[packet(message(52, number(4, iid), message(2, number(1, 1), number(2, value))), time=time, sequence=sequence, flags=2)
      for time, sequence, iid, value in ((4000, 20, 1, 30), (4050, 65556, 1, 40), (4060, 65556, 2, 50), (4100, 20, 1, 31),
                                         (4150, 65556, 1, 41), (4160, 65556, 2, 51))],
    # android_log, of another clock than the packets
    packet(data(39, message(1, number(2, 100), number(3, 101), number(5, 1_000_004_300), data(6, "Tag"), number(7, 6),
                            data(8, "it broke")))),
    # frame_timeline_event: two frames that overlap, and one without an end
    frames(5000, 3, number(1, 11), number(2, 5), number(3, 6), number(4, 100), data(5, "layer")),
    frames(5001, 4, number(1, 12), number(2, 5), number(3, 6), number(4, 100), data(5, "layer"), number(6, 2),
           number(9, 64 + 128)),
    frames(5100, 5, number(1, 11)), frames(5300, 5, number(1, 12)), frames(5400, 1, number(1, 13), number(3, 200)),
]))
EOP
python3 make.py $DATA
try histree build readings.pftrace 2>&1 | sed '/intervals/d'
histree states -a tracks --format tsv readings.pftrace.histree | grep -v -e CallStack -e null
histree segments --format tsv --columns start,duration,name,pid,args,ending readings.pftrace.histree track-spans
histree events --format tsv readings.pftrace.histree | grep instant

# What one event costs does not grow with the descriptor that it refers to.
cat >cost.py <<'EOP'
import resource
import subprocess
import sys
sys.path.insert(0, sys.argv[1] + "/../perfetto")
from perfetto_trace import data, number, packet, trace


def message(field, *parts):
    return data(field, b"".join(parts))


SAMPLED = 65_535, 65_536  # the last one that has a name, and the next one


def write(path, specs, events):
    """One writer, its descriptor of so many specs (an id and a name each), and so many samples of two of them."""
    descriptor = message(2, *[message(1, number(1, i), data(2, name)) for i, name in specs])
    open(path, "wb").write(trace([
        packet(data(12, message(47, number(1, 1), descriptor)), sequence=7, time=1000, flags=1),
        *[packet(message(52, number(4, 1), message(2, number(1, SAMPLED[i % 2]), number(2, i))), sequence=7, time=2000 + i, flags=2)
          for i in range(events)]]))
    subprocess.run(["histree", "build", "-q", "-f", path], check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


twice = [(65_535, "ab"[i % 2] * 150) for i in range(400)]
peaks = [write("twice.pftrace", twice, events) for events in (10, 8000)]
print("memory of names that change:", "bounded" if peaks[1] < peaks[0] + 100 else peaks)
write("many.pftrace", [(i, f"counter {i}") for i in range(65_600)], 8000)
EOP
python3 cost.py $DATA
try histree build -f many.pftrace 2>&1 | sed '/intervals/d'
histree states -a tracks --at 5000 --format tsv many.pftrace.histree | cut -f 1,5
