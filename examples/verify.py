#!/usr/bin/env python3
"""Verifies a veritrail export: python3 verify.py FILE [PUBLIC_KEY ...]   (keys in base64, as in the seal stream)

A second verifier, written from docs/trail-format.md alone. It uses only Python's standard library and has its own Ed25519:
slow, but short enough to read. Prints one line of JSON. Exit code 0: valid; 1: not valid; 2: not an export.
"""
import base64, datetime, decimal, gzip, hashlib, json, re, sys, uuid, zlib

EVENT_IDS = uuid.UUID("ad1ca958-26af-54f5-8faa-45afc7a58025")
HEADER = {"exported_at": str, "format": str, "installation": str, "organization_id": str}
EVENT = {"data": dict, "id": str, "metadata": dict, "revision": int, "stream": str, "type": str}
BAD = ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError
SEALS = {"SealKeyIntroduced": "key_id public_key signature", "LogSealed": "size root sealed_at previous_seal key_id signature",
         "SealKeyRotated": "from_key_id key_id public_key previous_seal old_signature new_signature",
         "SealKeyReplaced": "key_id public_key previous_seal signature"}
is_hash, is_salt = re.compile("[0-9a-f]{64}").fullmatch, re.compile("[0-9a-f]{32}").fullmatch
is_key_id, is_time = re.compile("[0-9a-f]{16}").fullmatch, re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.A).fullmatch
def sha(*parts): return hashlib.sha256(b"".join(parts)).digest()
def name_of(key): return key and sha(key).hex()[:16]
def is_count(n, least=0): return type(n) is int and least <= n < 2**53
def moment_of(text):  # None if it is no valid time
    try: moment = datetime.datetime.fromisoformat(text[:-1]) if is_time(text) and text[0] != "0" else None
    except ValueError: return None
    return moment and moment.isoformat(timespec="milliseconds") + "Z" == text and moment
def is_after(a, b): return bool(a and b) and moment_of(a) - moment_of(b) > datetime.timedelta(seconds=60)
def kinds(value): return {name: type(value[name]) for name in value}

def canonical(value, depth=64):
    if isinstance(value, (dict, list)) and depth == 0: raise ValueError("is nested more than 64 deep")
    if isinstance(value, list): return "[" + ",".join(canonical(item, depth - 1) for item in value) + "]"
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(canonical(name) + ":" + canonical(value[name], depth - 1) for name in names) + "}"
    if isinstance(value, (str, bool)) or value is None: return json.dumps(value, ensure_ascii=False)
    number = decimal.Decimal(repr(float(value))).normalize() or decimal.Decimal(0)  # the shortest digits, as ECMAScript's
    power = number.adjusted()
    return format(number, "f") if -7 < power < 21 else format(number.scaleb(-power), "f") + "e%+d" % power

# Ed25519 (RFC 8032, section 5.1), on the points (x, y) of -x² + y² = 1 + d x² y².
P, ORDER = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D, ROOT_OF_MINUS_1 = -121665 * pow(121666, -1, P) % P, pow(2, (P - 1) // 4, P)

def add(a, b):
    t = D * a[0] * a[1] * b[0] * b[1]
    return (a[0] * b[1] + a[1] * b[0]) * pow(1 + t, -1, P) % P, (a[1] * b[1] + a[0] * b[0]) * pow(1 - t, -1, P) % P
def times(n, point):
    if n == 0: return 0, 1
    rest = times(n // 2, add(point, point))
    return add(rest, point) if n % 2 else rest
def point_of(raw):
    y, odd = int.from_bytes(raw, "little") % 2**255 % P, raw[31] >> 7
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P: x = x * ROOT_OF_MINUS_1 % P
    if (x * x - square) % P: return None
    return (x if x % 2 == odd else P - x), y
def is_signed(text, signature, key):
    r, s, a, base = signature[:32], int.from_bytes(signature[32:], "little"), point_of(key), point_of(bytes([0x58] + [0x66] * 31))
    k = int.from_bytes(hashlib.sha512(r + key + text).digest(), "little") % ORDER
    x, y = add(times(s, base), times(k, (-a[0], a[1]))) if a else (0, 0)
    return a is not None and s < ORDER and r == (y + (x % 2 << 255)).to_bytes(32, "little")

def bytes_of(text, size):
    raw = base64.b64decode(text) if re.fullmatch("[A-Za-z0-9+/]+={0,2}", text) and len(text) % 4 == 0 else b""
    return raw if len(raw) == size and base64.b64encode(raw).decode() == text else None
def is_shaped(kind, data):
    sorts = {"size": lambda n: is_count(n, 1), "root": is_hash, "previous_seal": lambda h: h is None or is_hash(h),
             "sealed_at": is_time, "key_id": is_key_id, "from_key_id": is_key_id, "public_key": lambda key: bytes_of(key, 32)}
    try: return set(data) == set(SEALS[kind].split()) and all(sorts.get(n, lambda v: type(v) is str)(data[n]) for n in data)
    except TypeError: return False

class Check:
    def __init__(self, header, trusted_keys, now):
        self.now, self.log_time, self.runs = now, "", []  # the reader's clock and the newest time so far, as texts
        self.organization, self.trusted_keys, self.tips, self.edge, self.roots = header["organization_id"], trusted_keys, {}, [], [sha().hex()]
        self.key = self.trusted = self.seal = self.event_fault = self.seal_fault = self.untrusted = None
        self.position = self.size = self.proved = 0
    def take(self, position, event):
        self.position += 1
        stream, hash_, tip = event["stream"], event["metadata"]["hash"], self.tips.get(event["stream"], (-1, None))
        fault = self.find_fault(position, event, event["metadata"], tip)
        if fault and not self.event_fault: self.event_fault = [fault, self.position]
        if stream == "seal-" + self.organization and event["type"] in SEALS and not self.event_fault:
            fault = self.find_seal_fault(event["type"], event["data"], hash_)
            if fault and not self.seal_fault: self.seal_fault = [fault, self.position]
        self.find_out_of_order(event, event["metadata"].get("recorded_at"))
        if not is_hash(hash_): hash_ = "0" * 64
        self.tips[stream] = (tip[0] + 1, hash_)
        level, node = 0, sha(b"\0", bytes.fromhex(hash_))
        while self.edge and self.edge[-1][0] == level: level, node = level + 1, sha(b"\1", self.edge.pop()[1], node)
        self.edge.append((level, node))
        for _, left in reversed(self.edge[:-1]): node = sha(b"\1", left, node)
        self.roots.append(node.hex())
    def find_fault(self, position, event, meta, tip):
        if position != self.position: return "ORDER"
        if meta.get("organization_id") != self.organization: return "FOREIGN"
        if event["revision"] != tip[0] + 1: return "OUT_OF_ORDER"
        hashed = {name: event[name] for name in EVENT if name not in ("id", "data")}
        hashed["metadata"] = {name: meta[name] for name in meta if name not in ("hash", "salt")}
        is_own = meta["hash"] == sha(canonical(hashed).encode()).hex() and event["id"] == str(uuid.uuid5(EVENT_IDS, meta["hash"]))
        salted = is_salt(meta["salt"]) and sha(bytes.fromhex(meta["salt"]), canonical(event["data"]).encode()).hex()
        is_erased = meta["salt"] == "" and event["data"] == {}
        if not is_own or not is_erased and (not salted or meta.get("data_hash") != salted): return "ALTERED"
        return None if meta.get("previous_hash", "") == tip[1] else "BROKEN_LINK"
    def find_out_of_order(self, event, time):
        time = time if type(time) is str and moment_of(time) else ""
        why = "BEFORE" if not time or is_after(self.log_time, time) else "AHEAD" if is_after(time, self.now) else None
        sealed_at = event["data"].get("sealed_at") if event["type"] == "LogSealed" else ""
        self.log_time = max(self.log_time, time, sealed_at if type(sealed_at) is str and moment_of(sealed_at) else "")
        if why and self.runs and self.runs[-1][:2] == [why, self.position - 1]:
            _, _, start, earliest, latest, after = self.runs.pop()
            self.runs.append([why, self.position, start, min(earliest, time), max(latest, time), after])
        elif why: self.runs.append([why, self.position, self.position, time, time, self.log_time])
    def notices(self):
        for why, until, start, earliest, latest, after in self.runs[:100]:
            times = " to ".join([earliest or "no valid time"] + [latest] * (earliest != latest))
            reason = "ahead of the clock of the reader" if why == "AHEAD" else f"after an event or seal of {after or 'no time'}"
            yield (f"position {start}" if start == until else f"positions {start} to {until}") + f", recorded at {times}, {reason}"
    def find_seal_fault(self, kind, data, hash_):
        if not is_shaped(kind, data): return "MALFORMED"
        before, size, force = self.seal, self.size, self.key
        if kind == "LogSealed": key, self.seal, self.size = force, hash_, max(size, data["size"])
        else: key = bytes_of(data["public_key"], 32)
        stands_here = (kind == "SealKeyIntroduced") == (force is None) and data.get("from_key_id", name_of(force)) == name_of(force)
        if not stands_here or data["key_id"] != name_of(key): return "KEY"
        hashed = {name: data[name] for name in data if not name.endswith("signature")}
        text = canonical({**hashed, "format": "veritrail-seal-1", "organization_id": self.organization, "type": kind}).encode()
        for name in set(data) - set(hashed):
            signature = bytes_of(data[name], 64)
            if not signature or not is_signed(text, signature, force if name == "old_signature" else key): return "SIGNATURE"
        if data.get("previous_seal", before) != before: return "PREVIOUS_SEAL"
        if kind != "LogSealed":
            self.trusted = data["public_key"] in self.trusted_keys or kind == "SealKeyRotated" and self.trusted
            self.key = key
        elif not size < data["size"] < self.position: return "SIZE"
        elif self.roots[data["size"]] != data["root"]: return "ROOT"
        elif self.trusted and not self.seal_fault: self.proved, self.untrusted = data["size"], None
        elif not self.untrusted: self.untrusted = ["NOT_GIVEN", self.position]
    def verdict(self, end):
        seal, head = self.seal_fault or self.untrusted, {"size": self.position, "root": self.roots[-1]}
        export_fault = None if seal or self.proved else "NO_SEAL"
        if end != {"end": True, "position": self.position, "head": head}: export_fault = "HEAD" if end else "CUT"
        return {"event_fault": self.event_fault, "seal_fault": seal, "export_fault": export_fault, "proved": self.proved, "events": self.position,
            "recorded_out_of_order": [*self.notices()]}

def take(line, check, end, trusted_keys, now):
    if len(line.removesuffix(b"\n")) > 2**21: raise OSError("a line is longer than 2 MiB")
    value = json.loads(text := line.decode().removesuffix("\n"), parse_constant=int)
    if end or text != canonical(value): raise ValueError("was changed after the export")
    if not check and kinds(value) == HEADER and value["format"] == "veritrail-export-1": return Check(value, trusted_keys, now), None
    if kinds(value) == {"end": bool, "head": dict, "position": int} and check and kinds(value["head"]) == {"root": str, "size": int}:
        if value["end"] and is_count(value["position"]) and is_count(value["head"]["size"]): return check, value
    elif set(value) == {"event", "position"} and is_count(value["position"], 1) and kinds(value["event"]) == EVENT:
        meta = value["event"]["metadata"]
        if is_count(value["event"]["revision"]) and type(meta["hash"]) is type(meta["salt"]) is str: return check.take(**value) or check, None
    raise ValueError("is not a line of an export")

def verdict_on(file, trusted_keys, now=None):
    check = end = None
    try:
        while line := file.readline(2**21 + 2): check, end = take(line, check, end, trusted_keys, now)
    except EOFError: end = None  # a truncated gzip file
    except BAD:
        if not check or end or line.endswith(b"\n"): raise
    return check.verdict(end)

if __name__ == "__main__":
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")[:23] + "Z"
    try:
        with (gzip.open if sys.argv[1].endswith(".gz") else open)(sys.argv[1], "rb") as file: verdict = verdict_on(file, sys.argv[2:], now)
    except (*BAD, OSError, zlib.error) as error:
        sys.exit(print(f"not an export: {error}") or 2)
    sys.exit(print(json.dumps(verdict)) or (1 if any(verdict[name] for name in verdict if name.endswith("_fault")) else 0))
