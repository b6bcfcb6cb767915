#!/usr/bin/env python3
"""Adds a vendor, lists vendors and reads what changed, over plain HTTP and with Python's standard library alone:

    VERITRAIL_URL=http://127.0.0.1:8080 VERITRAIL_TOKEN=vtr_… python3 examples/client.py
"""
import json
import os
import urllib.error
import urllib.request
import uuid

URL = os.environ.get("VERITRAIL_URL", "http://127.0.0.1:8080")
TOKEN = os.environ["VERITRAIL_TOKEN"]


class CallRefused(Exception):
    """The service refused a call. error["code"] is stable, error["message"] names the problem and the next step."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.error = error


def call(tool, **fields):
    """Calls a tool and returns its answer. docs/tools.md has every tool with its input and its answer."""
    request = urllib.request.Request(
        f"{URL}/api/mcp/tools/{tool}",
        data=json.dumps(fields).encode(),
        headers={"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request) as response:
            return json.load(response)
    except urllib.error.HTTPError as response:
        raise CallRefused(json.load(response)["error"]) from None


organization = call("listOrganizations")["organizations"][0]
organization_id = organization["id"]
print("organization:", organization["name"])

# A repeated call with the same key adds no second vendor, so it is safe to retry after a timeout.
draft = {"organization_id": organization_id, "name": "Fjord Hosting", "idempotency_key": str(uuid.uuid4())}
try:
    vendor = call("addVendor", **draft, criticality="SEVERE")["vendor"]
except CallRefused as refusal:
    if refusal.error["code"] != "invalid_input":
        raise
    print("refused:", refusal)
    vendor = call("addVendor", **draft, criticality=refusal.error["allowed"][-1])["vendor"]
print("added:", vendor["name"])

for listed in call("listVendors", organization_id=organization_id)["vendors"]:
    print(f"vendor: {listed['name']}, {listed['status']}")

changes = call("listChanges", organization_id=organization_id, filter={"record_id": [vendor["id"]]})["changes"]
for change in changes:
    print(f"change: {change['event_type']}, revision {change['revision']}")
