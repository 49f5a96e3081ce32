# SPDX-License-Identifier: MIT
"""Two hosts that talk: a client on one asks a server on the other, which works and answers.  Traces as ftrace prints them."""
import collections
import random

CLIENT, SERVER = 100, 200
START = 1_000_000_000_000

# Of a question, by the true time: the client sends and then sleeps; the server is woken, runs, answers, and then sleeps; the
# client is woken and runs.
Round = collections.namedtuple("Round", "sends sleeps woken runs answers rests returns goes_on")


def rounds(seed, count):
    pick = random.Random(seed)
    time, found = START + 1_000_000, []
    for _ in range(count):
        steps = []
        for least, most in ((50_000, 900_000), (2_000, 9_000), (90_000, 300_000), (1_000, 40_000), (10_000, 2_000_000), (2_000, 9_000),
                            (90_000, 300_000), (1_000, 40_000)):
            time += pick.randrange(least // 1000, most // 1000) * 1000
            steps.append(time)
        found.append(Round(*steps))
    return found


def write(folder, all_rounds, clock_of_b):
    """Writes the traces `a` and `b` into a folder; `clock_of_b` makes b's time of a true one."""
    hosts = {"a": [], "b": []}

    def say(host, time, what):
        hosts[host].append((clock_of_b(time) if host == "b" else time, what))

    def switch(host, time, before, state, after):
        names = {0: "swapper/0", CLIENT: "client", SERVER: "server"}
        say(host, time, f"sched_switch: prev_comm={names[before]} prev_pid={before} prev_prio=120 prev_state={state} ==> "
                        f"next_comm={names[after]} next_pid={after} next_prio=120")

    def packet(host, time, way, number):
        say(host, time, f"inet_sock_local_{way}: seq={number * 10} ack_seq={number} flags=24")

    def arrive(host, time, number, tid, name):
        say(host, time - 2000, "softirq_entry: vec=3 [action=NET_RX]")
        packet(host, time - 1000, "in", number)
        say(host, time, f"sched_wakeup: comm={name} pid={tid} prio=120 target_cpu=000")
        say(host, time + 500, "softirq_exit: vec=3 [action=NET_RX]")

    switch("a", START, 0, "R", CLIENT)
    switch("b", START, 0, "R", SERVER)
    switch("b", START + 1000, SERVER, "S", 0)
    for number, one in enumerate(all_rounds):
        packet("a", one.sends, "out", 2 * number)
        switch("a", one.sleeps, CLIENT, "S", 0)
        arrive("b", one.woken, 2 * number, SERVER, "server")
        switch("b", one.runs, 0, "R", SERVER)
        packet("b", one.answers, "out", 2 * number + 1)
        switch("b", one.rests, SERVER, "S", 0)
        arrive("a", one.returns, 2 * number + 1, CLIENT, "client")
        switch("a", one.goes_on, 0, "R", CLIENT)
    switch("a", all_rounds[-1].goes_on + 1_000_000, CLIENT, "S", 0)
    for host, lines in hosts.items():
        lines.sort(key=lambda line: line[0])
        (folder / host).write_text("# tracer: nop\n" + "".join(
            f"     swapper-0     [000] d..1  {time // 10**9}.{time % 10**9:09}: {what}\n" for time, what in lines), encoding="utf-8")
