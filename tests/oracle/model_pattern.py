# SPDX-License-Identifier: MIT
"""
A random analysis of Trace Compass's XML, and a slow model of what it does: every state of every attribute in a list.
"""

NULL = ("null", "")


class History:
    """The rules of a state system, kept in lists."""

    def __init__(self):
        self.attributes = {}  # path: [[start, type, value], ...]
        self.start = None
        self.last = None

    def know(self, path):
        parts = path.split("/")
        for size in range(1, len(parts) + 1):
            self.attributes.setdefault("/".join(parts[:size]), [[self.start, *NULL]])

    def get(self, path):
        self.know(path)
        return tuple(self.attributes[path][-1][1:])

    def set(self, time, path, value):
        self.know(path)
        states = self.attributes[path]
        if tuple(states[-1][1:]) == value:
            return
        if time > states[-1][0]:
            states.append([time, *value])
        else:
            states[-1][1:] = value
        self.last = max(self.last, time)

    def delete(self, time, path):
        for each in [other for other in self.attributes if other == path or other.startswith(path + "/")]:
            self.set(time, each, NULL)

    def push(self, time, path, value):
        depth = int(self.get(path)[1] or 0) + 1
        self.set(time, f"{path}/{depth}", value)
        self.set(time, path, ("int", str(depth)))

    def pop(self, time, path):
        depth = int(self.get(path)[1] or 0)
        if depth == 0:
            return
        self.set(time, path, ("int", str(depth - 1)) if depth > 1 else NULL)
        self.delete(time, f"{path}/{depth}")

    def dump(self, end):
        for path in sorted(self.attributes, key=str.encode):
            states = self.attributes[path]
            for at, (start, kind, value) in enumerate(states):
                last = states[at + 1][0] - 1 if at + 1 < len(states) else end
                yield f"{path}\t{start}\t{last}\t{kind}\t{value}"


class Machine:
    def __init__(self, draw, number):
        self.name = f"m{number}"
        self.multiple, self.consuming = draw.random() < 0.8, draw.random() < 0.6
        count = draw.randrange(1, 4)
        self.precondition = draw.choice((None, None, "a|b", "*"))
        # state: [(event, whether the CPU must be that of the scenario, target, actions)]
        self.states = [[(draw.choice("abcd*"), at > 0 and draw.random() < 0.5, draw.randrange(count + 1),
                         [action for action in ("count", "push", "pop", "cut") if draw.random() < 0.35])
                        for _ in range(draw.randrange(1, 3))] for at in range(count)]
        self.free, self.active, self.pending, self.begun, self.given = [], [], None, False, 0

    def xml(self):
        flags = f'multiple="{str(self.multiple).lower()}" consuming="{str(self.consuming).lower()}"'
        text = [f'<fsm id="{self.name}" initial="s0" {flags}>']
        if self.precondition:
            text.append(f'<precondition event="{self.precondition}"/>')
        for at, transitions in enumerate(self.states):
            text.append(f'<state id="s{at}">')
            for event, needs_cpu, target, actions in transitions:
                cond = ' cond="same_cpu"' if needs_cpu else ""
                text.append(f'<transition event="{event}"{cond} target="s{target}" action="{":".join(["note", *actions])}"/>')
            text.append("</state>")
        return "\n".join([*text, f'<final id="s{len(self.states)}"/>', "</fsm>"])


class Model:
    """A random pattern, as XML, and what comes of events."""

    ACTIONS = {
        "note": '<stateAttribute type="constant" value="#CurrentScenario"/><stateAttribute type="constant" value="cpu"/>'
                '<stateValue type="eventField" value="cpu"/>',
        "count": '<stateAttribute type="constant" value="counts"/><stateAttribute type="eventField" value="n"/>'
                 '<stateValue type="long" value="2" increment="true"/>',
        "push": '<stateAttribute type="constant" value="stack"/><stateAttribute type="query"><stateAttribute '
                'type="constant" value="#CurrentScenario"/><stateAttribute type="constant" value="cpu"/></stateAttribute>'
                '<stateValue type="script" value="\'n\' + (n + 1)" stack="push"><stateValue id="n" type="eventField" value="n"/>'
                '</stateValue>',
        "pop": '<stateAttribute type="constant" value="stack"/><stateAttribute type="eventField" value="cpu"/>'
               '<stateValue type="null" stack="pop"/>',
    }

    def __init__(self, draw):
        self.machines = [Machine(draw, number) for number in range(draw.randrange(1, 4))]
        self.history = History()
        self.segments = []
        self.end = None

    def xml(self):
        text = ['<tmfxml><pattern id="random" version="1"><patternHandler>', '<test id="same_cpu"><if><condition>'
                '<stateAttribute type="constant" value="#CurrentScenario"/><stateAttribute type="constant" value="cpu"/>'
                '<stateValue type="eventField" value="cpu"/></condition></if></test>']
        for name, change in self.ACTIONS.items():
            text.append(f'<action id="{name}"><stateChange>{change}</stateChange></action>')
        text.append('<action id="cut"><segment><segType><segName><stateValue type="eventName"/></segName></segType>'
                    '</segment></action>')
        text += [machine.xml() for machine in self.machines]
        return "\n".join([*text, "</patternHandler></pattern></tmfxml>"])

    def run(self, events):
        history = self.history
        history.start = history.last = events[0][0]
        for event in events:
            for machine in self.machines:
                if machine.pending is None and (machine.multiple or not machine.begun):
                    self.make_pending(machine, event[0])
            for machine in self.machines:
                if machine.precondition in (None, "*") or event[1] in machine.precondition.split("|"):
                    self.handle(machine, event)
        at = history.last - 1 if history.last > history.start else history.last
        for machine in self.machines:
            for scenario in machine.active:
                history.delete(at, scenario["path"])
        self.end = events[-1][0]

    def dump(self):
        return list(self.history.dump(self.end))

    def make_pending(self, machine, time):
        if machine.free:
            number = machine.free.pop(0)
        else:
            number, machine.given = machine.given, machine.given + 1
        scenario = {"number": number, "path": f"scenarios/{machine.name}/{number}", "state": 0, "started": False, "over": False}
        machine.pending, machine.begun = scenario, True
        self.history.set(time, scenario["path"] + "/status", ("int", "0"))
        self.enter(scenario, 0, time)

    def enter(self, scenario, state, time):
        scenario["state"] = state
        path = scenario["path"] + "/state"
        self.history.set(time, path, ("string", f"s{state}"))
        self.history.set(time, f"{path}/s{state}/startTime", ("long", str(time)))

    def handle(self, machine, event):
        consumed, kept = False, []
        for scenario in machine.active:
            if not consumed:
                consumed = self.step(machine, scenario, event) and machine.consuming
            if not scenario["over"]:
                kept.append(scenario)
        machine.active = kept
        scenario = machine.pending
        if not consumed and scenario is not None and self.step(machine, scenario, event):
            machine.pending = None
            if not scenario["over"]:
                machine.active.append(scenario)

    def step(self, machine, scenario, event):
        time, name, cpu, _ = event
        for wanted, needs_cpu, target, actions in machine.states[scenario["state"]]:
            if wanted not in ("*", name):
                continue
            if needs_cpu and self.history.get(scenario["path"] + "/cpu") != ("int", str(cpu)):
                continue
            if not scenario["started"]:
                scenario["started"] = True
                self.history.set(time, scenario["path"] + "/status", ("int", "1"))
                self.history.set(time, scenario["path"] + "/startTime", ("long", str(time)))
            for action in ["note", *actions]:
                self.act(action, scenario, event)
            if target == len(machine.states):
                scenario["over"] = True
                self.history.delete(time, scenario["path"])
                machine.free.append(scenario["number"])
                self.history.set(time, scenario["path"] + "/status", ("int", "2"))
            if target != scenario["state"]:
                self.enter(scenario, target, time)
            return True
        return False

    def act(self, action, scenario, event):
        time, name, cpu, number = event
        if action == "note":
            self.history.set(time, scenario["path"] + "/cpu", ("int", str(cpu)))
        elif action == "count":
            path = f"counts/{number}"
            self.history.set(time, path, ("long", str(int(self.history.get(path)[1] or 0) + 2)))
        elif action == "push":
            path = "stack/" + self.history.get(scenario["path"] + "/cpu")[1]
            self.history.know(path)
            self.history.push(time, path, ("string", f"n{number + 1}"))
        elif action == "pop":
            self.history.know(f"stack/{cpu}")
            self.history.pop(time, f"stack/{cpu}")
        else:
            since = self.history.attributes[scenario["path"] + "/startTime"][-1][0]
            self.segments.append((since, time, name))
