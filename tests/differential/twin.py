#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
The twin of a CTF 1.8 trace: the same stream files under metadata of CTF 2 that say the same.

    twin.py TRACE FOLDER      write the twin of TRACE to FOLDER

It reads TSDL by itself, as CTF 1.8 says, so that the reader that is tested does not make what it is tested with.
"""
import json
import os
import re
import shutil
import struct
import sys

TOKENS = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\]|\\.)*"|:=|\.\.\.|[A-Za-z_0-9]+(?:\.[A-Za-z_0-9]+)*|\S', re.DOTALL)
TIMES = ("timestamp", "timestamp_begin", "timestamp_end")
ORIGINS = {"packet.header": ("trace.", "packet-header"), "packet.context": ("stream.", "packet-context"),
           "event.header": ("stream.", "event-record-header"),
           "event.context": ("stream.", "event-record-common-context"),
           "context": ("event.", "event-record-specific-context"), "fields": ("event.", "event-record-payload")}
ORDER = list(ORIGINS)


def metadata_text(path):
    """The text, out of packets if there are any."""
    with open(path, "rb") as file:
        data = file.read()
    for order in "<>":
        if data[:4] == struct.pack(order + "I", 0x75D11D57):
            text, at = b"", 0
            while at < len(data):
                content, size = struct.unpack_from(order + "II", data, at + 24)
                text += data[at + 37:at + content // 8]
                at += size // 8
            data = text
    return data.decode("utf-8", "surrogateescape")


def plain(name):
    return name[1:] if name.startswith("_") else name


class Reader:
    """Tokens, and types by name.  A type is a dictionary with a `kind`; places of the tree share it."""

    def __init__(self, text):
        self.tokens = [token for token in TOKENS.findall(text) if not token.startswith(("/*", "//"))]
        self.at, self.scopes = 0, [{}]

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def accept(self, token):
        found = self.peek() == token
        self.at += found
        return found

    def expect(self, token):
        if not self.accept(token):
            raise ValueError("%r where %r is expected" % (self.peek(), token))

    def number(self):
        negative = self.accept("-")
        self.accept("+")
        number = int(re.sub("[uUlL]+$", "", self.take()), 0)
        return -number if negative else number

    def find(self, name):
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        raise ValueError("there is no type " + name)

    # ---- types

    def scalar(self, kind):
        keys = {}
        if self.peek() == "{" or kind != "string":
            self.expect("{")
            while not self.accept("}"):
                key = self.take()
                self.expect("=")
                value = []
                while not self.accept(";"):
                    value.append(self.take())
                keys[key] = "".join(value)
        return {"kind": kind, "keys": keys}

    def words(self, leave_last):
        words = []
        while re.match("[A-Za-z_]", self.peek()):
            last = not re.match("[A-Za-z_]", self.peek(1)) and self.peek(1) not in (":=", "{")
            if leave_last and words and last:
                break
            words.append(self.take())
        return " ".join(words)

    def type(self):
        word = self.peek()
        if word in ("integer", "floating_point", "string"):
            return self.scalar(self.take())
        if word in ("struct", "variant", "enum"):
            return self.named(self.take())
        return self.find(self.words(True))

    def named(self, keyword):
        name, tag = None, None
        if re.match("[A-Za-z_]", self.peek()) and self.peek() != "align":
            name = keyword + " " + self.take()
        if keyword == "variant" and self.accept("<"):
            tag = self.take()
            self.expect(">")
        if self.peek() == "{" or (keyword == "enum" and self.peek() == ":"):
            made = self.enumeration() if keyword == "enum" else self.compound(keyword)
            if name:
                self.scopes[-1][name] = made
        else:
            made = self.find(name)
        if keyword == "variant" and tag is None and self.accept("<"):
            tag = self.take()
            self.expect(">")
        return dict(made, tag=tag) if tag is not None else made

    def compound(self, keyword):
        self.expect("{")
        self.scopes.append({})
        members = []
        while not self.accept("}"):
            if self.alias():
                continue
            base = self.type()
            if self.accept(";"):
                continue
            while True:
                name = self.take()
                members.append((plain(name), self.dimensions(base)))
                if not self.accept(","):
                    break
            self.expect(";")
        self.scopes.pop()
        align = 1
        if keyword == "struct" and self.accept("align"):
            self.expect("(")
            align = self.number()
            self.expect(")")
        return {"kind": keyword, "members": members, "align": align}

    def dimensions(self, element):
        if not self.accept("["):
            return element
        length = self.number() if self.peek()[0].isdigit() else self.take()
        self.expect("]")
        return {"kind": "array", "length": length, "element": self.dimensions(element)}

    def enumeration(self):
        base = self.type() if self.accept(":") else self.find("int")
        labels, following = [], 0
        self.expect("{")
        while not self.accept("}"):
            name = self.take()
            name = json.loads(name) if name[0] == '"' else name
            low = high = following
            if self.accept("="):
                low = high = self.number()
                if self.accept("..."):
                    high = self.number()
            labels.append((plain(name), low, high))
            following = high + 1
            self.accept(",")
        keys = {key: value for key, value in base["keys"].items() if key != "encoding"}
        return dict(base, keys=keys, labels=labels)

    def alias(self):
        keyword = self.peek()
        if keyword not in ("typealias", "typedef"):
            return False
        self.take()
        made = self.type()
        if keyword == "typealias":
            self.expect(":=")
        name = self.words(False)
        self.scopes[-1][name] = self.dimensions(made)
        self.expect(";")
        return True

    # ---- blocks

    def block(self):
        """A dictionary of the entries of a block; types are types, anything else is tokens."""
        entries = {}
        self.expect("{")
        self.scopes.append({})
        while not self.accept("}"):
            if self.alias():
                continue
            if self.peek() in ("struct", "variant", "enum"):
                self.type()
                self.expect(";")
                continue
            key = self.take()
            if self.accept(":="):
                entries[key] = self.type()
                self.expect(";")
                continue
            self.expect("=")
            value = []
            while not self.accept(";"):
                value.append(self.take())
            entries[key] = value
        self.scopes.pop()
        self.expect(";")
        return entries

    def read(self):
        found = {"trace": [], "env": [], "clock": [], "stream": [], "event": [], "callsite": []}
        while self.peek():
            if self.accept(";") or self.alias():
                continue
            if self.peek() in ("struct", "variant", "enum"):
                self.type()
                self.expect(";")
                continue
            found[self.take()].append(self.block())
        return found


def text_of(value):
    return json.loads(value[0]) if value[0].startswith('"') else "".join(value)


def number_of(value):
    return int(re.sub("[uUlL]+$", "", "".join(value)), 0)


class Twin:
    """Makes field classes of types; `scopes` are the structures that a length or a tag may name."""

    def __init__(self, order, clocks):
        self.order, self.clocks, self.scopes = order, clocks, {}

    def order_of(self, keys):
        order = {"be": "big-endian", "network": "big-endian", "le": "little-endian"}.get(keys.get("byte_order"))
        return order or self.order

    def follow(self, members, names):
        """Whether names lead to a member, through structures."""
        for place, name in enumerate(names):
            found = [made for member, made in members if member == name]
            if not found:
                return None
            if place == len(names) - 1:
                return found[-1]
            if found[-1]["kind"] != "struct":
                return None
            members = found[-1]["members"]
        return None

    def locate(self, path, scope, around):
        """Where a name of CTF 1.8 leads: the location of CTF 2, and the type there."""
        for name, (prefix, origin) in ORIGINS.items():
            if path.startswith(prefix + name + ".") and name in self.scopes:
                names = [plain(part) for part in path[len(prefix + name) + 1:].split(".")]
                found = self.follow(self.scopes[name]["members"], names)
                return {"origin": origin, "path": names}, found
        names = [plain(part) for part in path.split(".")]
        for members, before, to_here in reversed(around):
            found = self.follow(members[:before], names)
            if found:
                return {"origin": ORIGINS[scope][1], "path": to_here + names}, found
        for other in reversed(ORDER[:ORDER.index(scope)]):
            found = self.follow(self.scopes[other]["members"], names) if other in self.scopes else None
            if found:
                return {"origin": ORIGINS[other][1], "path": names}, found
        raise ValueError("there is no field " + path)

    def integer(self, made, roles=()):
        keys = made["keys"]
        size = int(keys["size"], 0)
        signed = keys.get("signed", "false") in ("true", "TRUE", "1")
        out = {"type": "fixed-length-%s-integer" % ("signed" if signed else "unsigned"), "length": size,
               "byte-order": self.order_of(keys), "alignment": int(keys.get("align", 8 if size % 8 == 0 else 1), 0)}
        if made.get("labels"):
            mappings = out["mappings"] = {}
            for name, low, high in made["labels"]:
                mappings.setdefault(name, []).append([low, high])
        if roles and not signed:
            out["roles"] = sorted(roles)
        return out

    def is_character(self, made):
        keys = made.get("keys", {})
        size = int(keys.get("size", "0"), 0)
        return (made["kind"] == "integer" and "labels" not in made and size == 8 and
                int(keys.get("align", "8"), 0) == 8 and keys.get("encoding", "none") != "none")

    def array(self, made, scope, around, path):
        part = {"length": made["length"]}
        if isinstance(made["length"], str):
            part = {"length-field-location": self.locate(made["length"], scope, around)[0]}
        kind = "dynamic-length" if isinstance(made["length"], str) else "static-length"
        if self.is_character(made["element"]):
            return {"type": kind + "-string", **part}
        return {"type": kind + "-array", **part,
                "element-field-class": self.field_class(made["element"], scope, around, path, "")}

    def variant(self, made, scope, around, path):
        location, selector = self.locate(made["tag"], scope, around)
        options = []
        for name, option in made["members"]:
            ranges = [[low, high] for label, low, high in selector.get("labels", ()) if label == name]
            if ranges:
                options.append({"name": name, "selector-field-ranges": ranges,
                                "field-class": self.field_class(option, scope, around, path, name)})
        return {"type": "variant", "selector-field-location": location, "options": options}

    def structure(self, made, scope, around, path):
        members = []
        for place, (name, inner) in enumerate(made["members"]):
            inside = around + [(made["members"], place, path)]
            members.append({"name": name, "field-class": self.field_class(inner, scope, inside, path + [name], name,
                                                                          top=not path)})
        return {"type": "structure", "member-classes": members, "minimum-alignment": made["align"]}

    def field_class(self, made, scope, around, path, name, top=False):
        """`path` leads from the scope to where it stands; elements and options stand where their array or variant does."""
        kind = made["kind"]
        if kind == "integer":
            return self.integer(made, self.roles(made, scope, name, top))
        if kind == "floating_point":
            keys = made["keys"]
            return {"type": "fixed-length-floating-point-number",
                    "length": int(keys["exp_dig"]) + int(keys["mant_dig"]), "byte-order": self.order_of(keys),
                    "alignment": int(keys.get("align", "8"), 0)}
        if kind == "string":
            return {"type": "null-terminated-string"}
        if kind == "array" and scope == "packet.header" and name == "uuid" and made["length"] == 16:
            return {"type": "static-length-blob", "length": 16, "roles": ["metadata-stream-uuid"]}
        return {"array": self.array, "variant": self.variant, "struct": self.structure}[kind](made, scope, around, path)

    def roles(self, made, scope, name, top):
        keys, roles = made["keys"], set()
        if top and scope == "packet.header":
            roles |= {{"magic": "packet-magic-number", "stream_id": "data-stream-class-id",
                       "stream_instance_id": "data-stream-id"}.get(name)}
        if top and scope == "packet.context":
            roles |= {{"packet_size": "packet-total-length", "content_size": "packet-content-length",
                       "timestamp_end": "packet-end-default-clock-timestamp",
                       "events_discarded": "discarded-event-record-counter-snapshot",
                       "packet_seq_num": "packet-sequence-number"}.get(name)}
        has_time = "map" in keys or name in TIMES
        if scope in ("packet.context", "event.header") and has_time and name != "timestamp_end":
            roles.add("default-clock-timestamp")
        if scope == "event.header" and name == "id":
            roles.add("event-record-class-id")
        return roles - {None}


def has_time(made):
    if made["kind"] == "integer":
        return "map" in made["keys"]
    parts = [made["element"]] if made["kind"] == "array" else [part for _, part in made.get("members", ())]
    return any(has_time(part) for part in parts) or any(name in TIMES for name, _ in made.get("members", ()))


def clock_fragment(entries, name):
    frequency = number_of(entries.get("freq", ["1000000000"]))
    cycles = number_of(entries.get("offset", ["0"]))
    offset = {"seconds": number_of(entries.get("offset_s", ["0"])) + cycles // frequency,
              "cycles": cycles % frequency}
    return {"type": "clock-class", "id": name, "name": name, "frequency": frequency, "origin": "unix-epoch",
            "precision": number_of(entries.get("precision", ["0"])), "offset-from-origin": offset}


def fragments_of(text):
    """The fragments of CTF 2 that say what TSDL says."""
    found = Reader(text).read()
    trace = {key: value for block in found["trace"] for key, value in block.items()}
    order = "little-endian" if trace["byte_order"] == ["le"] else "big-endian"
    preamble = {"type": "preamble", "version": 2}
    if "uuid" in trace:
        preamble["uuid"] = list(bytes.fromhex(text_of(trace["uuid"]).replace("-", "")))
    fragments = [preamble]
    environment = {key: text_of(value) if not re.match("[-+0-9]", value[0]) else number_of(value)
                   for block in found["env"] for key, value in block.items()}
    names = [text_of(entries["name"]) if "name" in entries else "default" for entries in found["clock"]]
    twin = Twin(order, names)

    def scope(entries, key, into, fragment):
        twin.scopes.pop(key, None)
        if key in entries:
            twin.scopes[key] = entries[key]
            fragment[into] = twin.field_class(entries[key], key, [], [], "")

    trace_class = {"type": "trace-class", "environment": environment}
    scope(trace, "packet.header", "packet-header-field-class", trace_class)
    fragments.append(trace_class)
    streams = found["stream"] or [{}]
    timed = any(has_time(stream[key]) for stream in streams for key in ("event.header", "packet.context")
                if key in stream)
    for entries, name in zip(found["clock"] or [{}] * timed, names or ["default"]):
        fragments.append(clock_fragment(entries, name))
    clock = (names or ["default"])[0]
    for stream in streams:
        number = number_of(stream.get("id", ["0"]))
        data_stream = {"type": "data-stream-class", "id": number}
        if timed:
            data_stream["default-clock-class-id"] = clock
        scope(stream, "packet.context", "packet-context-field-class", data_stream)
        scope(stream, "event.header", "event-record-header-field-class", data_stream)
        scope(stream, "event.context", "event-record-common-context-field-class", data_stream)
        fragments.append(data_stream)
        for event in found["event"]:
            of = number_of(event["stream_id"]) if "stream_id" in event else number
            if of != number:
                continue
            record = {"type": "event-record-class", "id": number_of(event.get("id", ["0"])),
                      "data-stream-class-id": number}
            if "name" in event:
                record["name"] = text_of(event["name"])
            scope(event, "context", "specific-context-field-class", record)
            scope(event, "fields", "payload-field-class", record)
            fragments.append(record)
    return fragments


def write_metadata(folder, fragments):
    with open(os.path.join(folder, "metadata"), "w", encoding="utf-8", errors="surrogateescape") as file:
        for fragment in fragments:
            file.write("\x1e" + json.dumps(fragment, ensure_ascii=False) + "\n")


def make(trace, folder):
    os.makedirs(folder, exist_ok=True)
    write_metadata(folder, fragments_of(metadata_text(os.path.join(trace, "metadata"))))
    for entry in os.scandir(trace):
        if entry.is_file() and entry.name != "metadata" and not entry.name.startswith("."):
            shutil.copy(entry.path, os.path.join(folder, entry.name))


if __name__ == "__main__":
    make(*sys.argv[1:])
