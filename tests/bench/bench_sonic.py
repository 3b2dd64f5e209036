#!/usr/bin/env python3
"""Starts a redis with 64 ports of 60 fields and 640 queues of 10, and runs the
sonic driver's bench on it."""
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../support"))
from driver_said import BUILD                           # noqa: E402
from redis import Redis                                 # noqa: E402
from sonic_expect import quantities                     # noqa: E402

GROUPS = ("PORT_STAT_COUNTER", "PORT_BUFFER_DROP_STAT", "QUEUE_STAT_COUNTER",
          "PG_DROP_STAT_COUNTER")


def content(seed=1):
    r = random.Random(seed)
    names = sorted(quantities())
    port = [n for n in names if n.startswith("SAI_PORT_STAT_")
            and "DROPPED_PKTS" not in n][:60]
    queue = [n for n in names if n.startswith("SAI_QUEUE_STAT_")
             and "WATERMARK" not in n][:10]
    assert len(port) == 60 and len(queue) == 10
    db = {"COUNTERS_PORT_NAME_MAP": {}, "COUNTERS_QUEUE_NAME_MAP": {}}
    for p in range(64):
        name, oid = "Ethernet%d" % (8 * p), "oid:0x1%012x" % (p + 1)
        db["COUNTERS_PORT_NAME_MAP"][name] = oid
        db["COUNTERS:" + oid] = {f: r.getrandbits(44) for f in port}
        for q in range(10):
            oid = "oid:0x15%012x" % (64 + 10 * p + q)
            db["COUNTERS_QUEUE_NAME_MAP"]["%s:%d" % (name, q)] = oid
            db["COUNTERS:" + oid] = {f: r.getrandbits(40) for f in queue}
    return db


def main():
    with Redis() as redis:
        redis.load("COUNTERS_DB", content())
        redis.load("FLEX_COUNTER_DB", {     # so that each cycle reads all
            "FLEX_COUNTER_GROUP_TABLE:" + g: {
                "POLL_INTERVAL": "1",
                "FLEX_COUNTER_STATUS": "enable" if "DROP" not in g
                else "disable"} for g in GROUPS})
        return subprocess.call(
            [os.path.join(BUILD, "tests/fetch_sonic"), redis.root, redis.path,
             str(redis.process.pid)] + sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
