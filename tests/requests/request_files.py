# SPDX-License-Identifier: MIT
"""
Spans of requests as files of OpenTelemetry (JSON, JSON lines, messages), Jaeger and Zipkin, after their public documents; and
drawn at random.  A span is a dict: trace, id, parent, name, service, instance, kind, begin, end (ns, of us), error, tags, events.
"""
import json
import struct

KINDS = ["internal", "server", "client", "producer", "consumer"]


def draw(random):
    """Requests of a few services, as real ones are: out of order, late, early, without parents, without length."""
    spans = []
    services = [("shop", "shop-1"), ("shop", "shop-2"), ("cart", None), ("b\u00e4nk \"x\"", None)]
    for _ in range(random.randint(1, 5)):
        trace = "%032x" % random.getrandbits(128)
        first = 1_700_000_000_000_000_000 + random.randint(0, 500) * 1000
        mine = []
        for _ in range(random.randint(1, 14)):
            above = random.choice(mine) if mine else None
            service = random.choice(services) if above is None or random.random() < 0.4 else (above["service"], above["instance"])
            begin = random.randint(0, 80) * 1000 + first
            end = begin + random.choice([0, 1, 5, 20, 90]) * 1000
            if above is not None and random.random() < 0.7:
                begin = random.randint(above["begin"] // 1000, above["end"] // 1000) * 1000
                end = random.randint(begin // 1000, above["end"] // 1000) * 1000
            mine.append({
                "trace": trace, "id": "%016x" % random.getrandbits(64), "parent": above and above["id"],
                "name": random.choice(["GET /", "pay", "l\u00f6sche", "sel\\ect \"1\"\n"]), "service": service[0],
                "instance": service[1], "kind": random.choice(KINDS), "begin": begin, "end": end,
                "error": random.random() < 0.2, "tags": {"http.route": "/" + "x" * random.randint(0, 9), "n": str(random.randint(0, 9))},
                "events": [(begin + 1000, "retry")] * random.choice([0, 0, 1])})
            if random.random() < 0.05:
                mine[-1]["parent"] = "%016x" % random.getrandbits(64)
        spans += mine
    random.shuffle(spans)
    return spans


# ---- OpenTelemetry ----

def by_resource(spans):
    resources = {}
    for span in spans:
        resources.setdefault((span["service"], span["instance"]), []).append(span)
    return resources.items()


def otlp(spans):
    def attribute(key, value):
        return {"key": key, "value": {"stringValue": value}}
    resources = []
    for (service, instance), mine in by_resource(spans):
        attributes = [attribute("service.name", service)]
        if instance is not None:
            attributes.append(attribute("service.instance.id", instance))
        resources.append({"resource": {"attributes": attributes}, "scopeSpans": [{"spans": [{
            "traceId": span["trace"].upper(), "spanId": span["id"], "parentSpanId": span["parent"] or "", "name": span["name"],
            "kind": 1 + KINDS.index(span["kind"]), "startTimeUnixNano": str(span["begin"]), "endTimeUnixNano": span["end"],
            "attributes": [attribute(*pair) for pair in span["tags"].items()],
            "events": [{"timeUnixNano": str(time), "name": name} for time, name in span["events"]],
            "status": {"code": 2} if span["error"] else {}} for span in mine]}]})
    return {"resourceSpans": resources}


def otlp_json(spans):
    return json.dumps(otlp(spans), indent=1).encode()


def otlp_lines(spans):
    """As the collector's file exporter: an object a line, of some spans each."""
    return b"".join(json.dumps(otlp(spans[i:i + 3]), ensure_ascii=False).encode() + b"\n" for i in range(0, len(spans), 3))


def varint(number):
    out = b""
    while number >= 0x80:
        out, number = out + bytes([number & 0x7f | 0x80]), number >> 7
    return out + bytes([number])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def fixed(number, value):
    return varint(number << 3 | 1) + struct.pack("<Q", value)


def otlp_message(spans):
    def attribute(key, value):
        return field(1, key) + field(2, field(1, value))
    out = b""
    for (service, instance), mine in by_resource(spans):
        resource = field(1, attribute("service.name", service))
        if instance is not None:
            resource += field(1, attribute("service.instance.id", instance))
        scope = b""
        for span in mine:
            scope += field(2, field(1, bytes.fromhex(span["trace"])) + field(2, bytes.fromhex(span["id"])) +
                           field(4, bytes.fromhex(span["parent"] or "")) + field(5, span["name"]) +
                           field(6, 1 + KINDS.index(span["kind"])) + fixed(7, span["begin"]) + fixed(8, span["end"]) +
                           b"".join(field(9, attribute(*pair)) for pair in span["tags"].items()) +
                           b"".join(field(11, fixed(1, time) + field(2, name)) for time, name in span["events"]) +
                           (field(15, field(3, 2)) if span["error"] else b""))
        out += field(1, field(1, resource) + field(2, scope))
    return out


def otlp_framed(spans):
    messages = [otlp_message(spans[i:i + 4]) for i in range(0, len(spans), 4)]
    return b"".join(struct.pack(">I", len(message)) + message for message in messages)


# ---- Jaeger and Zipkin ----

def jaeger(spans):
    traces = {}
    for span in spans:
        traces.setdefault(span["trace"], []).append(span)
    data = []
    for trace, mine in traces.items():
        owners = list(dict.fromkeys((span["service"], span["instance"]) for span in mine))
        data.append({"traceID": trace, "spans": [{
            "traceID": trace, "spanID": span["id"], "flags": 1, "operationName": span["name"],
            "references": [{"refType": "CHILD_OF", "traceID": trace, "spanID": span["parent"]}] if span["parent"] else [],
            "startTime": span["begin"] // 1000, "duration": (span["end"] - span["begin"]) // 1000,
            "tags": [{"key": "span.kind", "type": "string", "value": span["kind"]}] +
                    [{"key": "error", "type": "bool", "value": True}] * span["error"] +
                    [{"key": key, "type": "string", "value": value} for key, value in span["tags"].items()],
            "logs": [{"timestamp": time // 1000, "fields": [{"key": "event", "type": "string", "value": name}]}
                     for time, name in span["events"]],
            "processID": "p%d" % owners.index((span["service"], span["instance"])), "warnings": None} for span in mine],
            "processes": {"p%d" % i: {"serviceName": owner[0], "tags": [
                {"key": "hostname", "type": "string", "value": owner[1]}] if owner[1] else []} for i, owner in enumerate(owners)}})
    return json.dumps({"data": data, "total": 0, "errors": None}).encode()


def zipkin(spans):
    return json.dumps([{
        "traceId": span["trace"], "id": span["id"], **({"parentId": span["parent"]} if span["parent"] else {}), "name": span["name"],
        "timestamp": span["begin"] // 1000, "duration": (span["end"] - span["begin"]) // 1000,
        **({} if span["kind"] == "internal" else {"kind": span["kind"].upper()}),
        "localEndpoint": {"serviceName": span["service"], **({"ipv4": span["instance"]} if span["instance"] else {})},
        "annotations": [{"timestamp": time // 1000, "value": name} for time, name in span["events"]],
        "tags": {**span["tags"], **({"error": "timed out"} if span["error"] else {})}} for span in spans], ensure_ascii=False).encode()


WRITERS = {"otlp.json": otlp_json, "otlp.jsonl": otlp_lines, "otlp.pb": otlp_message, "otlp.framed": otlp_framed,
           "jaeger.json": jaeger, "zipkin.json": zipkin}
