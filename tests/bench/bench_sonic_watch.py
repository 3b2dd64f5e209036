#!/usr/bin/env python3
"""What it costs redis-server to tell us of changes: notifications of exact
channels, notifications by patterns, or our asking again and again.

One redis-server with SONiC's notify-keyspace-events, 1,300 counter rows
written a second, as syncd does, 20 rows of STATE_DB, and one change of
CONFIG_DB. CPU of the server, above what the writing alone costs, in
per mille of a core. Rounds are interleaved."""
import os
import statistics
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../support"))
from redis import Redis, encode                         # noqa: E402

ROWS, STATE_ROWS, SETTINGS = 1300, 20, 1000
FIELDS = [x for i in range(40) for x in ("SAI_PORT_STAT_%d" % i, "1234567")]
WAYS = ("nobody listens", "exact channels", "8 patterns", "asked every 1 s",
        "asked every 10 s")


def cpu(client):
    info = dict(line.split(":", 1) for line in
                client.ask("INFO", "cpu").splitlines() if ":" in line)
    return float(info["used_cpu_sys"]) + float(info["used_cpu_user"])


def write(redis, end):
    """A second's rows in a burst, as syncd's bulk reads make them."""
    counters, state, config = (redis.client(n) for n in
                               ("COUNTERS_DB", "STATE_DB", "CONFIG_DB"))
    while time.monotonic() < end:
        began = time.monotonic()
        counters.all([["HSET", "COUNTERS:oid:0x%x" % (0x1000 + i)] + FIELDS
                      for i in range(ROWS)])
        state.all([["HSET", "TRANSCEIVER_DOM_SENSOR|Ethernet%d" % i,
                    "temperature", "40"] for i in range(STATE_ROWS)])
        config.ask("HSET", "PORT|Ethernet0", "mtu", str(int(began)))
        time.sleep(max(0, began + 1 - time.monotonic()))


def listen(redis, words, stop):
    client = redis.client()
    client.sock.sendall(encode(*words))
    client.sock.settimeout(0.2)
    while not stop.is_set():
        try:
            client.sock.recv(1 << 16)
        except OSError:
            pass
    client.close()


def ask(redis, period, stop):
    client = redis.client("CONFIG_DB")
    rows = [["KEYS", "*"]] + [["HGETALL", "QUEUE|Ethernet%d|3" % i]
                              for i in range(SETTINGS)]
    while not stop.wait(period):
        client.all(rows)
    client.close()


def listener(redis, way, stop):
    if way == WAYS[1]:
        words = ["SUBSCRIBE"] + ["__keyevent@%d__:%s" % (db, event)
                                 for db in (4, 6)
                                 for event in ("hset", "hdel", "del", "set")]
        return threading.Thread(target=listen, args=(redis, words, stop))
    if way == WAYS[2]:
        words = ["PSUBSCRIBE"] + ["__keyspace@%d__:%s*" % (db, table)
                                  for db, table in
                                  ((4, "PORT|"), (4, "BUFFER_"), (4, "QUEUE|"),
                                   (4, "PFC_WD|"), (6, "TRANSCEIVER_INFO|"),
                                   (6, "NEIGH_STATE_TABLE|"),
                                   (6, "WARM_RESTART"), (6, "FEATURE|"))]
        return threading.Thread(target=listen, args=(redis, words, stop))
    period = 1 if way == WAYS[3] else 10
    return threading.Thread(target=ask, args=(redis, period, stop))


def measure(redis, way, seconds):
    stop, client = threading.Event(), redis.client()
    helper = None if way == WAYS[0] else listener(redis, way, stop)
    if helper:
        helper.start()
    time.sleep(0.3)
    before = cpu(client)
    write(redis, time.monotonic() + seconds - 0.5)
    used = cpu(client) - before
    stop.set()
    if helper:
        helper.join()
    client.close()
    return 1000 * used / seconds


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    seconds = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    got = {way: [] for way in WAYS}
    with Redis() as redis:
        client = redis.client()
        client.ask("CONFIG", "SET", "notify-keyspace-events", "AKE")
        redis.load("CONFIG_DB", {"QUEUE|Ethernet%d|3" % i:
                                 {"scheduler": "scheduler.1",
                                  "wred_profile": "AZURE_LOSSLESS"}
                                 for i in range(SETTINGS)})
        for _ in range(rounds):
            for way in WAYS:
                got[way].append(measure(redis, way, seconds))
    base = got[WAYS[0]]
    print("%-20s %s per mille of a core" % (WAYS[0],
                                            "%6.2f" % statistics.median(base)))
    for way in WAYS[1:]:
        extra = [a - b for a, b in zip(got[way], base)]
        print("%-20s %+6.2f, quartiles %+.2f %+.2f" %
              ((way, statistics.median(extra)) +
               tuple(statistics.quantiles(extra, n=4)[::2])))


if __name__ == "__main__":
    main()
