#!/usr/bin/env python3
"""petrel-vswitch plays 64 ports of 8 lanes with 640 queues and 512 priority
groups into a real redis each second; the sonic driver and a bare fetch of the
same fields read it in turns: everything each second, and then without the
watermarks, which SONiC itself takes each minute. Then what 512 ports of eight
lanes cost vswitch itself, by how often their modules are read.
--quick: counters and watermarks alone, twice as fast."""
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../support"))
from agent import BUILD, SCENARIOS                      # noqa: E402
from vswitch import VSwitch                             # noqa: E402

CADENCES = ("--counters", "--queues", "--watermarks")
BIG = "switch name=big ports=512 speed=800G lanes=8 media=DR8 queues=8\n"
BIG_S = 15


def cpu_s(pid):
    with open("/proc/%d/stat" % pid) as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def read_it(period_ms, pairs, *sources):
    with open(os.path.join(SCENARIOS, "fetch.scenario")) as f:
        scenario = f.read()
    options = [x for c in CADENCES for x in (c, "%dms" % period_ms)]
    if "dom" in sources:
        options += ["--dom", "%dms" % period_ms]
    with VSwitch(scenario, *options, journal=False) as s:
        return subprocess.call(
            [os.path.join(BUILD, "tests/fetch_sonic"), s.root,
             s.redis[0].path, str(s.redis[0].process.pid), str(period_ms),
             str(pairs), *sources])


def play_512(dom):
    with VSwitch(BIG, "--dom", dom, journal=False) as s:
        pids = s.child.pid, s.redis[0].process.pid
        before = [cpu_s(p) for p in pids]
        plays = s.totals()["plays"]
        time.sleep(BIG_S)
        plays = s.totals()["plays"] - plays
        used = [100 * (cpu_s(p) - b) / BIG_S for p, b in zip(pids, before)]
        late = [x for x in s.log().splitlines() if "cannot keep up" in x]
    print("vswitch: 512 ports at 1 Hz, modules each %s: %d plays in %d s, "
          "%.1f %% of a core, redis-server %.1f %% (reach 100 %% together)%s" %
          (dom, plays, BIG_S, *used, "; it says: %s" % late if late else ""))
    return 0 if plays >= BIG_S - 1 and sum(used) < 100 and not late else 1


def main():
    if sys.argv[1:] == ["--quick"]:
        return read_it(500, 10, "counters", "queues", "watermarks")
    return (read_it(1000, 20, "counters", "queues", "watermarks", "dom") or
            read_it(1000, 20, "counters", "queues", "dom") or
            max(play_512(dom) for dom in ("60s", "1s", "200ms")))


if __name__ == "__main__":
    sys.exit(main())
