#!/usr/bin/env python3
"""How soon a collector answers again after a kill in the midst of work, with
1 GiB in its spool (BENCH_SPOOL_MIB): only what is not sealed is read. Each
time once with its files in the page cache and once from the disk."""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
from frames import (ACK, DATA, WELCOME, Peer, envelope,  # noqa: E402
                    positions, record)

MIB = int(os.environ.get('BENCH_SPOOL_MIB', '1024'))
ROUNDS = 5
REACH_S = 1.0
STATES, CAPSULE = 1, 7
PAYLOAD = bytes(60000)
WINDOW = 16             # frames under way


class Collector(agent.Bed):
    def __init__(self):
        super().__init__(collector=False)
        with open(self.collector_conf, 'a', encoding='utf-8') as f:
            f.write('[Collector]\nspool_size = %dM\n' % (2 * MIB))
        self.port = int(self.url.rsplit(':', 1)[1])

    def welcome(self):
        """A session, once somebody answers; and what it holds."""
        def ask():
            try:
                return Peer(self.port)
            except (OSError, AssertionError):
                return None
        peer = agent.wait_for(ask, 60, 0.002)
        kind, session, body = peer.hello()
        agent.check(kind == WELCOME, kind)
        return peer, session, int.from_bytes(body[8:16], 'big')

    def fill(self, mib):
        """So much more, and some that is not acknowledged."""
        peer, session, last = self.welcome()
        end = last + (mib << 20) // len(PAYLOAD)
        sent = last
        while last < end:
            while sent < min(end, last + WINDOW):
                sent += 1
                peer.send(envelope(DATA, session, record(
                    sent, STATES, CAPSULE, PAYLOAD)))
            kind, _, body = peer.receive()
            agent.check(kind == ACK, kind)
            last = positions(body)[1]
        for n in range(end + 1, end + WINDOW):
            peer.send(envelope(DATA, session, record(n, STATES, CAPSULE,
                                                     PAYLOAD)))
        peer.socket.close()

    def files(self):
        return [os.path.join(self.spool, n) for n in os.listdir(self.spool)]

    def drop_caches(self):
        for path in self.files():
            with open(path, 'rb') as f:
                os.fsync(f.fileno())
                os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

    def recover(self, is_cold):
        """Seconds from its start to its WELCOME."""
        self.collector.kill()
        if is_cold:
            self.drop_caches()
        began = time.monotonic()
        self.collector.start()
        peer, _, _ = self.welcome()
        took = time.monotonic() - began
        peer.socket.close()
        return took


def main():
    with Collector() as bed:
        bed.collector.start()
        bed.fill(MIB)
        took = {False: [], True: []}
        for _ in range(ROUNDS):
            for is_cold in took:
                bed.fill(8)
                took[is_cold].append(bed.recover(is_cold))
        held = sum(os.path.getsize(p) for p in bed.files()) / (1 << 20)
    warm, cold = sorted(took[False]), sorted(took[True])
    print('recovery: %.0f MiB in %s: answered %.2f s after its start, worst '
          '%.2f; from the disk %.2f s, worst %.2f (reach <= %.0f)' % (
              held, "the collector's spool", warm[ROUNDS // 2], warm[-1],
              cold[ROUNDS // 2], cold[-1], REACH_S))


if __name__ == '__main__':
    main()
