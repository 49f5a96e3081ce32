# SPDX-License-Identifier: MIT
"""A model of histree-analysis(5): analyses as trees of tuples, which are written as text and evaluated plainly.

Values are None, bool, int (64 bits), Narrow (32 bits), float and str.  An expression is a tuple of the name of a rule
below and its operands; `text_of` writes it, `Run.value` says what it is at an event.
"""
import math
import re

LEAST, MOST = -2**63, 2**63 - 1


class Narrow(int):
    """An int of 32 bits."""


class Missing(Exception):
    """There is no such attribute."""


# ---- text --------------------------------------------------------------------------------------------------------


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def path_text(path):
    return "/".join("".join(part if isinstance(part, str) else "{" + text_of(part) + "}" for part in component)
                    for component in path)


def constant_text(value):
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return quoted(value) if isinstance(value, str) else repr(value)


CALLS = {"int", "integer", "real", "text", "lower", "upper", "length", "part", "starts", "ends", "strip", "choose",
         "first"}


def text_of(expression):
    rule, *operands = expression
    if rule == "constant":
        return constant_text(operands[0])
    if rule in ("field", "let"):
        return operands[0]
    if rule in ("event", "time", "cpu"):
        return rule
    if rule in ("state", "since", "top"):
        return f"{rule}({path_text(operands[0])})"
    if rule == "map":
        pairs = ", ".join(f"{constant_text(a)}: {constant_text(b)}" for a, b in operands[1])
        return f"map({text_of(operands[0])}, {pairs})"
    if rule == "in":
        return f"({text_of(operands[0])} in ({', '.join(map(text_of, operands[1]))}))"
    if rule == "present":
        return f"({text_of(operands[0])} present)"
    if rule in CALLS:
        return f"{rule}({', '.join(map(text_of, operands))})"
    if len(operands) == 1:
        return f"({rule}({text_of(operands[0])}))"
    return f"({text_of(operands[0])} {rule} {text_of(operands[1])})"


def fields_text(fields):
    return " with " + ", ".join(f"{kind} {name} = {text_of(value)}" for kind, name, value in fields) if fields else ""


def statement_lines(statement, indent):
    rule, *rest = statement
    if rule == "if":
        condition, then, otherwise = rest
        lines = [f"{indent}if {text_of(condition)}:", *block_lines(then, indent + "  ")]
        if otherwise and otherwise[0][0] == "if" and len(otherwise) == 1:
            lines += [line.replace("if", "elif", 1) if i == 0 else line
                      for i, line in enumerate(statement_lines(otherwise[0], indent))]
        elif otherwise:
            lines += [f"{indent}else:", *block_lines(otherwise, indent + "  ")]
        return lines
    if rule in ("begin", "end"):
        name, key, title, fields = rest
        named = f" as {text_of(title)}" if title else ""
        return [f"{indent}{rule} {name}({', '.join(map(text_of, key))}){named}{fields_text(fields)}"]
    if rule == "segment":
        title, start, end, fields = rest
        times = (f" from {text_of(start)}" if start else "") + (f" to {text_of(end)}" if end else "")
        return [f"{indent}segment {text_of(title)}{times}{fields_text(fields)}"]
    if rule in ("pop all", "delete"):
        return [f"{indent}{rule} {path_text(rest[0])}"]
    path, value, time = rest
    later = f" at {text_of(time)}" if time else ""
    if rule == "pop":
        return [f"{indent}pop {path_text(path)}{later}"]
    word, sign = {"=": ("", "="), "+=": ("", "+="), "-=": ("", "-="), "was": ("was ", "="),
                  "push": ("push ", "=")}[rule]
    return [f"{indent}{word}{path_text(path)} {sign} {text_of(value)}{later}"]


def block_lines(statements, indent):
    return [line for statement in statements for line in statement_lines(statement, indent)]


def program_text(program):
    lines = [f"analysis {program['name']}", ""]
    lines += [f"let {name} = {text_of(value)}" for name, value in program["lets"]]
    for events, condition, statements in program["handlers"]:
        when = f" when {text_of(condition)}" if condition else ""
        lines += [f"on {', '.join(events)}{when}:", *block_lines(statements, "    ")]
    return "\n".join(lines) + "\n"


# ---- values ------------------------------------------------------------------------------------------------------


def is_integer(value):
    return isinstance(value, int)  # also a bool


def is_number(value):
    return isinstance(value, (int, float))


def is_true(value):
    return bool(value)


def real_text(value):
    for digits in range(1, 18):
        text = f"{value:.{digits}g}"
        if float(text) == value:
            break
    return text if "." in text or "e" in text else text + ".0"


def as_text(value):
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return real_text(value) if isinstance(value, float) else str(int(value))


def as_long(value):
    if isinstance(value, str):
        return int(value) if re.fullmatch(r"[+-]?[0-9]{1,18}", value) else None
    if isinstance(value, float):
        return int(value) if abs(value) < 9.2e18 else None
    return None if value is None else int(value)


def as_narrow(value):
    value = as_long(value)
    return Narrow(value) if value is not None and -2**31 <= value < 2**31 else None


def as_real(value):
    if isinstance(value, str):
        return float(value) if re.fullmatch(r"[+-]?[0-9]{1,18}", value) else None
    return None if value is None else float(value)


CONVERSIONS = {"int": as_narrow, "integer": as_long, "real": as_real, "text": as_text,
               "bool": lambda value: None if value is None else is_true(value)}


def order(a, b):
    """-1, 0, 1, or None."""
    if is_integer(a) and is_integer(b):
        return (a > b) - (a < b)
    if is_number(a) and is_number(b):
        a, b = float(a), float(b)
        return (a > b) - (a < b)
    if isinstance(a, str) and isinstance(b, str):
        a, b = a.encode(), b.encode()
        return (a > b) - (a < b)
    return None


COMPARISONS = {"==": lambda o: o == 0, "!=": lambda o: o != 0, "<": lambda o: o is not None and o < 0,
               "<=": lambda o: o is not None and o <= 0, ">": lambda o: o is not None and o > 0,
               ">=": lambda o: o is not None and o >= 0}


def quotient(a, b):
    whole = abs(a) // abs(b)
    return whole if (a < 0) == (b < 0) else -whole


def of_integers(sign, a, b):
    if sign in ("/", "%") and b == 0 or sign in ("<<", ">>") and not 0 <= b <= 63:
        return None
    if sign == "<<":
        number = (a << b) & (2**64 - 1)
        return number - 2**64 if number > MOST else number
    number = {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "/": lambda: quotient(a, b),
              "%": lambda: a - b * quotient(a, b), "&": lambda: a & b, "|": lambda: a | b, "^": lambda: a ^ b,
              ">>": lambda: a >> b}[sign]()
    # The least number divided by -1 does not fit, nor has it a remainder for the machine.
    return number if LEAST <= number <= MOST and not (a == LEAST and b == -1 and sign == "%") else None


def of_reals(sign, a, b):
    if sign == "%":
        return math.fmod(a, b) if b != 0 else None
    if sign == "/":
        return a / b if b != 0 else None
    return {"+": a + b, "-": a - b, "*": a * b}.get(sign)


def arithmetic(sign, a, b):
    if sign == "+" and (isinstance(a, str) or isinstance(b, str)):
        return None if a is None or b is None else as_text(a) + as_text(b)
    if is_integer(a) and is_integer(b):
        number = of_integers(sign, int(a), int(b))
        narrow = isinstance(a, (bool, Narrow)) and isinstance(b, (bool, Narrow))
        return Narrow(number) if narrow and number is not None and -2**31 <= number < 2**31 else number
    return of_reals(sign, float(a), float(b)) if is_number(a) and is_number(b) else None


def part(text, start, end):
    if not isinstance(text, str) or not is_number(start) or not (end is None or is_number(end)):
        return None
    start = min(max(as_long(start), 0), len(text))
    end = len(text) if end is None else min(max(as_long(end), 0), len(text))
    return text[min(start, end):max(start, end)]


def like(text, pattern):
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), text, re.S) is not None


# ---- a run -------------------------------------------------------------------------------------------------------


def kind_of(value):
    return {type(None): "null", bool: "bool", Narrow: "int", int: "long", float: "double", str: "string"}[type(value)]


def same(a, b):
    return kind_of(a) == kind_of(b) and a == b


class Attribute:
    def __init__(self, start):
        self.kind, self.value, self.since, self.intervals = None, None, start, []

    def takes(self, value):
        return value is None or self.kind in (None, kind_of(value))

    def replace(self, value):
        if value is not None:
            self.kind = kind_of(value)
        self.value = value

    def change(self, time, value):
        """Returns False if it is refused."""
        if not self.takes(value):
            return False
        if same(self.value, value):
            return True
        if time > self.since:
            self.intervals.append((self.since, time - 1, self.value))
            self.since = time
        self.replace(value)
        return True


class Run:
    def __init__(self, program, start):
        self.program, self.start = program, start
        self.lets = dict(program["lets"])
        self.attributes, self.spans, self.segments, self.future, self.planned = {}, {}, [], [], 0
        self.event = None

    # -- attributes

    def attribute(self, path):
        for size in range(1, len(path) + 1):
            if path[:size] not in self.attributes:
                self.attributes[path[:size]] = Attribute(self.start)
        return self.attributes[path]

    def name(self, component):
        parts = [component_part if isinstance(component_part, str) else self.value(component_part)
                 for component_part in component]
        if len(parts) == 1:
            return as_text(parts[0])
        return None if any(one is None for one in parts) else "".join(map(as_text, parts))

    def path(self, path, creates):
        """What comes before a component that is not there is made."""
        found = ()
        for component in path:
            name = self.name(component)
            if not name:
                raise Missing
            found += (name,)
            if creates:
                self.attribute(found)
            elif found not in self.attributes:
                raise Missing
        return found

    def look(self, rule, path):
        try:
            found = self.path(path, False)
        except Missing:
            return None
        attribute = self.attributes[found]
        if rule == "state":
            return attribute.value
        if rule == "since":
            return attribute.since
        depth = attribute.value
        return self.attributes[found + (str(int(depth)),)].value if isinstance(depth, Narrow) and depth > 0 else None

    # -- expressions

    def compare(self, sign, a, b):
        return a is not None and b is not None and COMPARISONS[sign](order(a, b))

    def value(self, expression):
        rule, *operands = expression
        if rule == "constant":
            return operands[0]
        if rule == "field":
            return self.event["fields"].get(operands[0])
        if rule == "let":
            return self.value(self.lets[operands[0]])
        if rule in ("event", "time", "cpu"):
            return self.event[rule]
        if rule in ("state", "since", "top"):
            return self.look(rule, operands[0])
        if rule in ("&&", "||"):
            first = is_true(self.value(operands[0]))
            return first if first == (rule == "||") else is_true(self.value(operands[1]))
        if rule == "choose":
            return self.value(operands[1 if is_true(self.value(operands[0])) else 2])
        if rule == "map":
            value = self.value(operands[0])
            for before, after in operands[1]:
                if value is not None and order(value, before) == 0:
                    return after
            return value
        if rule == "in":
            value = self.value(operands[0])
            return any(self.compare("==", value, self.value(one)) for one in operands[1])
        if rule in ("==", "!=") and operands[1] == ("constant", None):
            return (self.value(operands[0]) is None) == (rule == "==")
        return self.plain(rule, [self.value(one) for one in operands])

    def plain(self, rule, values):
        if rule in COMPARISONS:
            return self.compare(rule, *values)
        if rule in CONVERSIONS:
            return CONVERSIONS[rule](values[0])
        if rule == "present":
            return values[0] is not None
        if rule == "!":
            return not is_true(values[0])
        if rule == "-":
            if len(values) == 1:
                return -values[0] if isinstance(values[0], float) else arithmetic("-", Narrow(0), values[0])
            return arithmetic("-", *values)
        if rule == "~":
            if not is_integer(values[0]):
                return None
            return Narrow(~int(values[0])) if isinstance(values[0], (bool, Narrow)) else ~values[0]
        if rule == "first":
            return next((value for value in values if value is not None), None)
        if rule == "contains":
            text = as_text(values[0])
            return isinstance(text, str) and isinstance(values[1], str) and values[1] in text
        texts = all(isinstance(value, str) for value in values)
        if rule == "like":
            return texts and like(*values)
        if rule in ("starts", "ends"):
            return (values[0].startswith if rule == "starts" else values[0].endswith)(values[1]) if texts else None
        if rule in ("lower", "upper"):
            return getattr(values[0].encode(), rule)().decode() if texts else None  # of ASCII only
        if rule == "length":
            return len(values[0].encode()) if texts else None
        if rule == "part":
            return part(*values, *[None] * (3 - len(values)))
        if rule == "strip":
            for prefix in values[1:]:
                if isinstance(values[0], str) and values[0].startswith(prefix):
                    return values[0][len(prefix):]
            return values[0]
        return arithmetic(rule, *values)

    # -- statements

    def apply(self, rule, time, path, value):
        attribute = self.attribute(path)
        if rule == "=":
            attribute.change(time, value)
        elif rule == "was":
            if attribute.takes(value):
                attribute.replace(value)
        elif rule in ("+=", "-="):
            self.count(attribute, time, value)
        elif rule == "push":
            self.push(attribute, time, path, value)
        elif rule == "pop":
            self.pop(time, path)
        elif rule == "pop all":
            while self.pop(time, path):
                pass
        elif rule == "delete":
            for other in list(self.attributes):
                if other[:len(path)] == path:
                    self.attributes[other].change(time, None)

    def count(self, attribute, time, value):
        if not is_number(value) or isinstance(value, bool) or not attribute.takes(value):
            return
        total = type(value)(0 if attribute.value is None else attribute.value) + value
        if isinstance(value, Narrow):
            total = Narrow(total) if -2**31 <= total < 2**31 else None
        elif isinstance(value, int) and not LEAST <= total <= MOST:
            total = None
        if total is not None:
            attribute.change(time, total)

    def push(self, attribute, time, path, value):
        if not attribute.takes(Narrow(1)):
            return
        depth = Narrow((attribute.value or 0) + 1)
        level = path + (str(int(depth)),)
        if level in self.attributes and not self.attributes[level].takes(value):
            return
        self.attribute(level)
        attribute.change(time, depth)
        self.attributes[level].change(time, value)

    def pop(self, time, path):
        attribute = self.attributes[path]
        depth = attribute.value
        if not isinstance(depth, Narrow) or depth <= 0:
            return False
        attribute.change(time, Narrow(depth - 1) if depth > 1 else None)
        self.apply("delete", time, path + (str(int(depth)),), None)
        return depth > 1

    def content(self, fields, content):
        for kind, name, value in fields:
            content[name] = CONVERSIONS[kind](self.value(value))
        return content

    def span(self, rule, name, key, title, fields):
        key = (name, *(as_text(self.value(one)) for one in key))
        if None in key:
            return
        if rule == "begin":
            label = as_text(self.value(title)) if title else name
            self.spans[key] = (self.event["time"], label, self.content(fields, {}))
        elif key in self.spans:
            start, label, content = self.spans.pop(key)
            label = as_text(self.value(title)) if title else label
            self.segments.append((start, self.event["time"], label, self.content(fields, dict(content))))

    def segment(self, title, start, end, fields):
        now = self.event["time"]
        first = as_long(self.value(start)) if start else None
        first = now if first is None else first
        last = as_long(self.value(end)) if end else None
        last = now if last is None or last < first else last
        if last >= first:
            self.segments.append((first, last, as_text(self.value(title)), self.content(fields, {})))

    def statement(self, statement):
        rule, *rest = statement
        if rule == "if":
            self.block(rest[1] if is_true(self.value(rest[0])) else rest[2])
        elif rule in ("begin", "end"):
            self.span(rule, *rest)
        elif rule == "segment":
            self.segment(*rest)
        else:
            self.change(rule, *rest)

    def change(self, rule, path, value=None, time=None):
        try:
            found = self.path(path, True)
        except Missing:
            return
        value = self.value(value) if value else None
        if rule == "-=":
            value = self.plain("-", [value])
        if time is None:
            self.apply(rule, self.event["time"], found, value)
            return
        time = as_long(self.value(time))
        if time is not None and time >= self.event["time"]:
            self.planned += 1
            self.future.append((time, self.planned, rule, found, value))

    def block(self, statements):
        for statement in statements:
            self.statement(statement)

    # -- events

    def run(self, events):
        for self.event in events:
            due = sorted((one for one in self.future if one[0] <= self.event["time"]), key=lambda one: one[:2])
            self.future = [one for one in self.future if one[0] > self.event["time"]]
            for time, _, rule, path, value in due:
                self.apply(rule, time, path, value)
            for patterns, condition, statements in self.program["handlers"]:
                if any(like(self.event["event"], pattern) for pattern in patterns) and \
                        (condition is None or is_true(self.value(condition))):
                    self.block(statements)

    def intervals(self, end):
        """Of all attributes, by path: start, end, value."""
        return {path: attribute.intervals + [(attribute.since, end, attribute.value)]
                for path, attribute in self.attributes.items()}
