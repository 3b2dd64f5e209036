#!/usr/bin/env python3
# petrel-test: timeout=90
"""High-frequency telemetry of a switch of two ASICs: each one's sessions, in
its own databases, explain its own data, which come by a socket in the ASIC's
network namespace, or all by the first one."""
import ctypes
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../support"))
sys.path.insert(0, HERE)
import driver_said                                      # noqa: E402
import hft_stream as hft                                # noqa: E402
import test_sonic                                       # noqa: E402
from asics import Asics, top                            # noqa: E402
from sonic_twin import Twin                             # noqa: E402

CLONE_NEWNET = 0x40000000
IN_OCTETS = 0
# The same labels and templates mean other ports on each.
PORTS = (("Ethernet0", "Ethernet8"), ("Ethernet64", "Ethernet72"))
NO_RIGHT = ("setpriv", "--bounding-set", "-sys_admin", "--inh-caps",
            "-sys_admin")


def template(number):
    return hft.template(number, [hft.TIME] + [
        hft.field(label, hft.PORT, IN_OCTETS) for label in (1, 2)])


def load(asics, numbers):
    """numbers: the templates of each ASIC."""
    asics.host.load("CONFIG_DB", {"DEVICE_METADATA|localhost":
                                  {"hostname": "two"}})
    for n, redis in enumerate(asics.asic):
        twin = Twin(seed=30 + n, asic=n)
        for name in test_sonic.NAMES:
            redis.load(name, twin.db[name])
        hft.put(redis, "p|PORT", hft.row(
            PORTS[n], b"".join(template(i) for i in numbers[n])))


def listening(stream):
    end = time.monotonic() + 20
    while not stream.send(hft.message([])):
        if time.monotonic() > end:
            raise RuntimeError("nobody listens")
        time.sleep(0.02)


def octets(said):
    """{(ASIC, port): [values]}"""
    out = {}
    for x in said.of("sample", source="hft", quantity="if_in_octets"):
        key = top(said, x["handle"]), said.name(x["handle"])[1]
        out.setdefault(key, []).append(x["value"])
    return out


def lost(said):
    """{index: last value}, and how many records were taken."""
    got = {(x["quantity"], x["index"]): x["value"]
           for x in said.of("sample", source="hft")
           if said.name(x["handle"])[0] == "switch"}
    return ({i: got.get(("self_hft_lost_sets", i)) for i in range(4)},
            got.get(("self_hft_records", 0)))


def check_first(tap):
    """What sonic_stel does: all ASICs' data come in the first namespace."""
    with Asics() as asics, hft.Stream() as stream:
        load(asics, ((256, 300), (257, 300)))
        run = driver_said.Running("sonic", asics.root, 4.5, "--period-ms",
                                  "200", stream.option)
        listening(stream)
        time.sleep(1)
        for i in range(3):
            stream.send(hft.data(256, [hft.record(i, [10 + i, 20 + i])]),
                        hft.data(257, [hft.record(i, [30 + i, 40 + i])]))
            time.sleep(0.3)
        stream.send(hft.data(300, [hft.record(9, [666, 666])]))
        stream.send(hft.data(999, [hft.record(9, [777, 777])]))
        time.sleep(0.3)
        # Data of one ASIC first, then the row that explains them.
        stream.send(hft.data(400, [hft.record(9, [52, 62])]))
        hft.put(asics.asic[1], "p|QUEUE", hft.row(PORTS[1], template(400)))
        said = run.end()
    got = octets(said)
    tap.ok(not said.of("fault"), "the contract holds", said.of("fault")[:3])
    tap.same({k: v[-1] for k, v in got.items()},
             {("asic0", "Ethernet0"): 12, ("asic0", "Ethernet8"): 22,
              ("asic1", "Ethernet64"): 52, ("asic1", "Ethernet72"): 62},
             "data in the first namespace are the ASIC's that announced them")
    tap.ok(not any(666 in v or 777 in v for v in got.values()),
           "what two ASICs may have sent is nobody's", got)
    counts, records = lost(said)
    tap.ok(counts == {0: 0, 1: 0, 2: 0, 3: 1} and records == 7,
           "it is counted as a quantity of the switch, as are records",
           (counts, records))


class Namespaces:
    """Network namespaces named below a root as SONiC names an ASIC's."""

    def __init__(self, root, count=2):
        self.folder = os.path.join(root, "var/run/netns")
        os.makedirs(self.folder)
        self.process = [None] * count
        for n in range(count):
            self.make(n)

    def make(self, n):
        self.end(n)
        p = subprocess.Popen(["unshare", "--net", "sleep", "120"])
        home = os.readlink("/proc/self/ns/net")
        path = "/proc/%d/ns/net" % p.pid
        while os.readlink(path) == home:
            time.sleep(0.01)
        os.symlink(path, os.path.join(self.folder, "asic%d" % n))
        self.process[n] = p

    def end(self, n):
        if self.process[n]:
            self.process[n].kill()
            self.process[n].wait()
            os.unlink(os.path.join(self.folder, "asic%d" % n))

    def stream(self, n, port):
        """A sender in there; no other thread of ours goes with it."""
        libc = ctypes.CDLL(None, use_errno=True)
        home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        there = os.open("/proc/%d/ns/net" % self.process[n].pid, os.O_RDONLY)
        try:
            if libc.setns(there, CLONE_NEWNET) != 0:
                raise OSError(ctypes.get_errno(), "setns")
            return hft.Stream(port)
        finally:
            libc.setns(home, CLONE_NEWNET)
            os.close(home)
            os.close(there)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for n in range(len(self.process)):
            self.end(n)


def check_namespaces(tap):
    """Each ASIC's data in its own namespace; one of them is made anew."""
    with Asics() as asics, hft.Stream() as here, \
            Namespaces(asics.root) as spaces:
        load(asics, ((256,), (256,)))
        streams = [spaces.stream(n, here.port) for n in (0, 1)]
        run = driver_said.Running("sonic", asics.root, 9, "--period-ms",
                                  "200", here.option)
        for stream in streams:
            listening(stream)
        time.sleep(1)
        for n, stream in enumerate(streams):
            stream.send(hft.data(256, [hft.record(1, [10 + n, 20 + n])]))
        time.sleep(0.5)
        spaces.make(1)
        again = spaces.stream(1, here.port)
        listening(again)
        again.send(hft.data(256, [hft.record(2, [31, 41])]))
        said = run.end()
    got = octets(said)
    tap.same(got, {("asic0", "Ethernet0"): [10], ("asic0", "Ethernet8"): [20],
                   ("asic1", "Ethernet64"): [11, 31],
                   ("asic1", "Ethernet72"): [21, 41]},
             "the same template is each ASIC's own in its own namespace, "
             "also after that was made anew")


def check_no_right(tap):
    """The package's agent may not enter: it says so, and lives."""
    with Asics() as asics, Namespaces(asics.root) as spaces:
        load(asics, ((256,), (257,)))
        run = driver_said.Running("sonic", asics.root, 2, "--period-ms", "200",
                                  through=NO_RIGHT)
        said = run.end()
    told = said.states("hft")
    tap.ok(told and told[-1][0] == "unsupported"
           and "namespace asic0 needs CAP_SYS_ADMIN"
           in told[-1][1] and said.samples("counters"),
           "without the right to look there, that is told", told[-1:])
    del spaces


def main():
    tap = driver_said.Tap()
    unshare = subprocess.run(["unshare", "--net", "true"],
                             capture_output=True, check=False)
    in_there = (check_namespaces, check_no_right)
    if os.geteuid() == 0 and unshare.returncode == 0:
        driver_said.side_by_side(tap, (check_first,) + in_there)
        return tap.end()
    check_first(tap)
    for check in in_there:
        tap.skip(check.__doc__, "MAKING NETWORK NAMESPACES NEEDS ROOT")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
