#!/usr/bin/env python3
# petrel-test: timeout=90
"""High-frequency telemetry against a real redis-server and a netlink socket of
the test's own: sessions, templates, records, and all that can be wrong."""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import agent                                            # noqa: E402
import driver_said                                      # noqa: E402
import hft_stream as hft                                # noqa: E402
from redis import Redis                                 # noqa: E402
from sonic_twin import Twin                             # noqa: E402
import test_sonic_agent                                 # noqa: E402

# SAI's numbers of what is streamed here.
IN_OCTETS, PFC_3_RX, S4 = 0, 109, 187
Q_PACKETS, Q_OCTETS, Q_OCCUPANCY, Q_WATERMARK, Q_DELAY = 0, 1, 24, 27, 39
GROUP_OCCUPANCY, POOL_OCCUPANCY = 4, 0
MS = 10 ** 6


def ports_template(number, domain=0):
    return hft.template(number, [hft.TIME] + [
        hft.field(label, hft.PORT, stat) for label in (1, 2)
        for stat in (IN_OCTETS, PFC_3_RX, S4)], domain)


PORTS = ("Ethernet0", "Ethernet8")


class Run:
    """A driver on a twin's databases, with a stream into it."""

    def __init__(self, seconds, rows, *more):
        self.redis = Redis()
        self.redis.__enter__()
        twin = Twin()
        for name, content in twin.db.items():
            self.redis.load(name, content)
        for key, row in rows.items():
            hft.put(self.redis, key, row)
        self.stream = hft.Stream()
        self.running = driver_said.Running(
            "sonic", self.redis.root, seconds, "--period-ms", "200",
            self.stream.option, *more)
        self.ready()

    def ready(self):
        """Until somebody listens, and has had time to read the rows."""
        end = time.monotonic() + 20
        while not self.stream.send(hft.message([])):
            if time.monotonic() > end:
                raise RuntimeError("nobody listens")
            time.sleep(0.02)
        time.sleep(0.6)

    def end(self):
        said = self.running.end()
        self.stream.__exit__()
        self.redis.__exit__(None, None, None)
        return said


def values(said, name=None):
    """{(entity, quantity, index): [values]} of the source."""
    out = {}
    for x in said.of("sample", source="hft"):
        who = said.name(x["handle"])[1]
        if name is None or who == name:
            out.setdefault((who, x["quantity"], x["index"]),
                           []).append(x["value"])
    return out


def own(said, quantity, index=0):
    """What is told of the stream itself, with the switch."""
    return values(said, "twin").get((("twin", quantity, index)), [None])[-1]


def last_reasons(said):
    return " / ".join(sorted({r for _, r in said.states("hft") if r}))


def check_values(tap):
    """Records of all four kinds of object, several messages in a datagram."""
    # One number that no quantity is known for, one label that has no name.
    odd = [hft.field(1, hft.QUEUE, 4), hft.field(9, hft.QUEUE, Q_PACKETS)]
    fields = [(1, hft.QUEUE, Q_PACKETS), (1, hft.QUEUE, Q_OCTETS),
              (1, hft.QUEUE, Q_OCCUPANCY), (2, hft.QUEUE, Q_DELAY)]
    queues = hft.template(300, [hft.TIME] + [hft.field(*f) for f in fields]
                          + odd, 7)
    buffers = hft.template(400, [hft.TIME,
                                 hft.field(1, hft.GROUP_TYPE, GROUP_OCCUPANCY)])
    pools = hft.template(500, [hft.TIME,
                               hft.field(1, hft.POOL, POOL_OCCUPANCY, 4)])
    run = Run(4, {
        "p|PORT": hft.row(PORTS, ports_template(256) + ports_template(257)),
        "p|QUEUE": hft.row(("Ethernet0|3", "Ethernet8|0"), queues),
        "p|INGRESS_PRIORITY_GROUP": hft.row(("Ethernet0|3",), buffers),
        "p|BUFFER_POOL": hft.row(("egress_lossless_pool",), pools)})
    start, now = time.monotonic_ns(), time.time_ns()
    for i in range(100):
        run.stream.send(
            hft.data(256, [hft.record(now + i * 10 * MS,
                                      [i, 2 * i, 3 * i, 4 * i, 5 * i, 6 * i])]),
            hft.data(300, [hft.record(i * 10 * MS, [
                i, 10 ** 6 * i, 50000 if i == 42 else 1000,
                7000 if i < 50 else 3000, 5, 6])], 7) +
            hft.data(400, [hft.record(i * 10 * MS, [i % 10])]))
        time.sleep(0.01)
    run.stream.send(hft.message([hft.a_set(
        500, (5).to_bytes(8, "big") + (1234).to_bytes(4, "big"))]))
    said = run.end()
    got = values(said)
    tap.ok(said.status == 0 and not said.of("fault"),
           "test_c07_hft_keeps_the_contract", said.of("fault")[:5])
    last = {k: v[-1] for k, v in got.items()}
    want = {("Ethernet0", "if_in_octets", 0): 99,
            ("Ethernet0:3", "pfc_rx_frames", 0): 198,
            ("Ethernet0", "fec_codeword_errors", 4): 297,
            ("Ethernet8", "if_in_octets", 0): 396,
            ("Ethernet8", "fec_codeword_errors", 4): 594,
            ("Ethernet0:3", "queue_frames", 0): 99,
            ("Ethernet0:3", "queue_octets", 0): 99000000,
            ("Ethernet8:0", "queue_delay_ns", 0): 3000,
            ("egress_lossless_pool", "pool_occupancy_octets", 0): 1234}
    tap.same({k: last.get(k) for k in want}, want,
             "counters keep the last value of a tick")
    tap.ok(max(got["Ethernet0:3", "queue_occupancy_octets", 0]) == 50000
           and max(got["Ethernet0:3", "pg_shared_occupancy_octets", 0]) == 9,
           "occupancies keep the largest value of a tick",
           got.get(("Ethernet0:3", "queue_occupancy_octets", 0)))
    ticks = len(got["Ethernet0", "if_in_octets", 0])
    tap.ok(4 <= ticks <= 12, "records of 10 ms come as one value a tick", ticks)
    check_delay(tap, said, got)
    check_age(tap, said, start)
    states = said.states("hft")
    tap.ok(states[-1] == ("limited", "1 labels without a name, "
                          "1 unknown statistics"),
           "the source is fresh but for what it does not know", states[-3:])


def check_delay(tap, said, got):
    # 1000 octets at 400 Gb/s are 20 ns, 50000 are 1000 ns.
    estimated = got.get(("Ethernet0:3", "queue_delay_ns", 0), [])
    tap.ok(max(estimated) == 1000 and min(estimated) == 20,
           "queue_delay_ns is occupancy over drain rate", estimated)
    quality = {(said.name(x["handle"])[1], x["quality"])
               for x in said.of("sample", source="hft")
               if x["quantity"].startswith("queue_delay")}
    tap.ok(quality == {("Ethernet0:3", 1), ("Ethernet8:0", 0)},
           "… with quality estimated, the chip's own with good", quality)
    tap.ok(got["Ethernet0:3", "queue_delay_p50_ns", 0][-1] in range(18, 22)
           and got["Ethernet0:3", "queue_delay_max_ns", 0][-1] == 1000
           and abs(got["Ethernet8:0", "queue_delay_p99_ns", 0][-1] - 7000) < 440,
           "the sketch gives p50, p99 and max",
           {k: v[-1] for k, v in got.items() if "_delay_" in k[1]})


def check_age(tap, said, start):
    wrong, spans = [], []
    for x in said.of("group", source="hft"):
        if said.name(x["handle"]) != ("port", "Ethernet0"):
            continue
        spans.append(x["window_ns"])
        # A tick that began before may last until the first record came.
        if not (start - 10 ** 9 <= x["taken_ns"] <= x["t_ns"]
                and x["t_ns"] - x["taken_ns"] < 1.5e9):
            wrong.append(x)
    tap.ok(not wrong and spans, "test_c04_hft_age_is_the_records_own_time",
           wrong[:3])
    tap.ok(10 ** 8 < max(spans) < 1.2e9,
           "… and a peak's window is what its tick covers", spans)


def check_life(tap):
    """Templates that change, come late, and are nobody's."""
    run = Run(7, {"p|PORT": hft.row(PORTS, ports_template(256))})
    send = run.stream.send
    six = [1, 2, 3, 4, 5, 6]
    send(hft.data(256, [hft.record(1, six)]))
    send(hft.data(999, [hft.record(1, six)]))       # nobody's
    time.sleep(0.5)
    # Data first, then the row that explains them.
    send(hft.data(258, [hft.record(2, [11, 12, 13, 14, 15, 16])]))
    hft.put(run.redis, "p|PORT", hft.row(PORTS, ports_template(258)))
    time.sleep(1.5)
    send(hft.data(258, [hft.record(3, [21, 12, 13, 14, 15, 16])]))
    send(hft.data(256, [hft.record(4, [666] * 6)]))     # deleted by now
    time.sleep(0.5)
    # The same id, other names: refused, whoever they were.
    hft.put(run.redis, "p|PORT", hft.row(("Ethernet16", "Ethernet24"),
                                         ports_template(258)))
    time.sleep(1.5)
    send(hft.data(258, [hft.record(5, [777] * 6)]))
    said = run.end()
    got = values(said)
    octets = got.get(("Ethernet0", "if_in_octets", 0), [])
    tap.ok(octets[0] == 1 and octets[-1] == 21 and 666 not in octets,
           "data of a new id wait for their template, those of the old one "
           "are dropped from then on", octets)
    tap.ok(all(777 not in v for v in got.values()),
           "a schema that changes under its id is refused", got)
    why = last_reasons(said)
    tap.ok("1 sets of changed templates" in why
           and "1 sets of deleted templates" in why,
           "both are counted and told", why)
    tap.ok("sets of unknown templates" in why,
           "so are data that nobody announced", why)
    lost = [own(said, "self_hft_lost_sets", i) for i in range(4)]
    tap.ok(lost == [1, 1, 1, 0] and own(said, "self_hft_records") == 3,
           "each is a quantity, for the collector",
           (lost, own(said, "self_hft_records")))


def check_faults(tap):
    """What lies about its length ends itself, not the stream."""
    run = Run(4, {"p|PORT": hft.row(PORTS, ports_template(256))})
    send, good = run.stream.send, hft.data(256, [hft.record(1, [5] * 6)])
    send(good[:-9])                                     # cut short
    send(hft.message([hft.a_set(256, bytes(56), 4000)]))   # set too long
    send(hft.message([hft.a_set(256, b"x" * 57)]))      # no multiple
    send(b"\0\x09" + good[2:])                          # version 9
    run.stream.send_raw(run.stream.frame(good, length=4096))
    send(hft.data(256, [hft.record(2, [7] * 6)]))
    time.sleep(0.4)
    c = run.redis.client("STATE_DB")
    c.ask("HSET", hft.TABLE + "p|PORT", "session_config",
          ports_template(256)[:30])
    time.sleep(2.2)
    send(hft.data(256, [hft.record(3, [9] * 6)]))
    c.close()
    said = run.end()
    octets = values(said)["Ethernet0", "if_in_octets", 0]
    tap.ok(octets == [7], "only the whole record is taken", octets)
    why = last_reasons(said)
    tap.ok("1 bad netlink messages, 2 bad IPFIX messages, 1 bad sets, "
           "1 sets that do not match their template" in why,
           "each fault is counted and told", why)
    tap.ok("templates refused" in why and "session_config is cut short" in why,
           "so is a template that is cut short", why)
    tap.ok(not said.of("fault"), "… and the contract holds", said.of("fault"))


def check_overrun(tap):
    """The kernel drops what finds no room, and says so once: ENOBUFS."""
    name = "an overrun is an event, counted, and the stream goes on"
    if os.geteuid() != 0:
        tap.skip(name, "JOINING A NETLINK GROUP NEEDS ROOT")
        return
    run = Run(3.5, {"p|PORT": hft.row(PORTS, ports_template(256))})
    run.running.process.send_signal(19)                 # SIGSTOP
    big = hft.data(256, [hft.record(1, [1] * 6)] * 1000)
    for _ in range(400):
        run.stream.flood(big)
    run.running.process.send_signal(18)
    time.sleep(0.5)
    run.stream.flood(hft.data(256, [hft.record(2, [8] * 6)]))
    said = run.end()
    events = [x for x in said.of("event") if x["event"] == "overrun"]
    octets = values(said).get(("Ethernet0", "if_in_octets", 0), [])
    tap.ok(len(events) == 1 and events[0]["value"] >= 1
           and "buffer" in events[0]["text"] and octets[-1] == 8
           and "overruns" in last_reasons(said), name,
           (events, octets, last_reasons(said)))
    tap.ok(own(said, "self_hft_overruns") == events[0]["value"],
           "… and a quantity, for the collector",
           (own(said, "self_hft_overruns"), events))


def check_database_gone(tap):
    """What was known stays in force; a row that is gone does not."""
    run = Run(5, {"p|PORT": hft.row(PORTS, ports_template(256)),
                  "p|QUEUE": hft.row(("Ethernet0|3",), hft.template(
                      300, [hft.TIME, hft.field(1, hft.QUEUE, Q_PACKETS)]))})
    c = run.redis.client("STATE_DB")
    c.ask("DEL", hft.TABLE + "p|QUEUE")
    c.close()
    time.sleep(1.3)
    run.redis.stop()
    time.sleep(0.5)
    run.stream.send(hft.data(256, [hft.record(1, [31] * 6)]) +
                    hft.data(300, [hft.record(1, [32])]))
    said = run.end()
    got = values(said)
    tap.ok(got.get(("Ethernet0", "if_in_octets", 0)) == [31],
           "the stream is understood while the database is down", got)
    tap.ok(("Ethernet0:3", "queue_frames", 0) not in got
           and "1 sets of deleted templates" in last_reasons(said),
           "a session whose row is gone is over", last_reasons(said))


def check_large(tap):
    """A datagram far above what a socket is read with otherwise."""
    run = Run(2.5, {"p|PORT": hft.row(PORTS, ports_template(256))})
    sent = run.stream.send(*[hft.data(256, [hft.record(1, [1] * 6)] * 1000)] * 3
                           + [hft.data(256, [hft.record(2, [4] * 6)])])
    said = run.end()
    octets = values(said).get(("Ethernet0", "if_in_octets", 0))
    tap.ok(sent and octets == [4], "a datagram of 168 KB is read whole", octets)


def check_absent(tap):
    """Without a family, and with one that nobody set up."""
    with Redis() as redis:
        for name, content in Twin().db.items():
            redis.load(name, content)
        said = driver_said.run("sonic", redis.root, 1.2, "--period-ms", "200",
                               "hft_family=petrel_test")
        seen = redis.client("STATE_DB")
        seen.close()
        tap.ok(said.states("hft")[-1] ==
               ("unsupported", "the kernel has no generic netlink family "
                "'petrel_test': nothing streams telemetry"),
               "without a family the source says so", said.states("hft")[-1:])
        os.makedirs(os.path.join(redis.root, "etc/sonic"))
        with open(os.path.join(redis.root, "etc/sonic/constants.yml"), "w") as f:
            f.write("constants:\n  high_frequency_telemetry:\n"
                    "    genl_family: vendor_stel\n")
        said = driver_said.run("sonic", redis.root, 1.2, "--period-ms", "200")
        tap.ok("'vendor_stel'" in said.states("hft")[-1][1],
               "constants.yml names the family", said.states("hft")[-1:])
        with hft.Stream() as s:
            said = driver_said.run("sonic", redis.root, 1.2, "--period-ms",
                                   "200", s.option)
        tap.ok(said.states("hft")[-1] ==
               ("unsupported", "no session of high-frequency telemetry is "
                "enabled in STATE_DB"),
               "without a session too", said.states("hft")[-1:])
        with open(os.path.join(redis.root, "ids.csv"), "w") as f:
            f.write("SAI_QUEUE_STAT_BYTES,one\n")
        said = driver_said.run("sonic", redis.root, 1.2, "--period-ms", "200",
                               "hft_ids=/ids.csv")
        tap.ok(said.states("hft")[-1][0] == "broken"
               and "/ids.csv: line 1" in said.states("hft")[-1][1],
               "a wrong file of numbers is told with its line",
               said.states("hft")[-1:])


def check_agent(tap):
    """The whole way: the core, without a right, to what the collector holds."""
    with Redis() as redis, hft.Stream() as stream:
        for name, content in Twin().db.items():
            redis.load(name, content)
        hft.put(redis, "p|PORT", hft.row(PORTS, ports_template(256)))
        extra = "[Sonic]\n%s\n" % stream.option.replace("=", " = ")
        with agent.Bed(driver="sonic", root=redis.root, extra=extra) as bed:
            bed.collector.start()
            bed.agent.start()
            agent.check(bed.wait_serving(), bed.agent.log())
            time.sleep(1.5)
            for i in range(250):
                stream.send(hft.data(256, [hft.record(
                    time.time_ns(), [1000 + i, 2, 3, 4, 5, 6])]))
                time.sleep(0.01)
            status = {s["source"]: s for s in bed.json("status")["sources"]}
            time.sleep(1.2)
            bed.stop()
            said = test_sonic_agent.Collected(bed.records())
    tap.ok(status["sonic.hft"]["state"] == "fresh",
           "petrel status: the stream is fresh", status["sonic.hft"])
    octets = values(said)["Ethernet0", "if_in_octets", 0]
    tap.ok(2 <= len(octets) <= 6 and octets[-1] == 1249,
           "the collector holds a value a second of 100 records", octets)


def main():
    tap = driver_said.Tap()
    checks = (check_life, check_values, check_agent, check_faults,
              check_absent, check_database_gone, check_overrun, check_large)
    driver_said.side_by_side(tap, checks)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
