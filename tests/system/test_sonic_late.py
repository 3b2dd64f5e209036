#!/usr/bin/env python3
"""petreld is started before SONiC's databases are filled: it says so once, and
is well soon after they are."""
import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
from agent import SLOW, Bed, check, main, wait_for  # noqa: E402
from redis import Redis  # noqa: E402
from sonic_twin import Twin  # noqa: E402

WHY = 'no port is named in COUNTERS_PORT_NAME_MAP'


def sources(bed):
    return {s['source']: s for s in bed.json('status')['sources']}


def test_sources_that_wait_for_their_maps_say_so_once_and_look_again():
    with Redis() as redis:
        with Bed(driver='sonic', root=redis.root, collector=False) as bed:
            bed.agent.start()
            check(bed.wait_serving(), bed.agent.log())
            waiting = ('sonic.dom', 'sonic.queues', 'sonic.counters')
            check(wait_for(lambda: all(
                WHY in (sources(bed)[s]['reason'] or '') for s in waiting),
                           20 * SLOW, 0.2), sources(bed))
            # Once each: by health, by status, by the log.
            code, said, _ = bed.ask('health', '--agent')
            check(code != 0 and said.count(WHY) == 1 and 'sources: ' in said,
                  code, said)
            said = bed.ask('status')[1]
            check(said.count(WHY) == 1, said)
            check('as sonic.counters' in said, said)
            check(bed.agent.log().count(WHY) == 1, bed.agent.log())
            twin = Twin(warts=False)
            for name in twin.db:
                redis.load(name, twin.db[name])
            # Two polls of a second each, and the noise of this machine.
            check(wait_for(lambda: all(
                sources(bed)[s]['state'] == 'fresh' for s in waiting),
                           3 * SLOW, 0.1), sources(bed))
            check(bed.ask('health')[0] in (0, 1, 2), bed.ask('health'))


if __name__ == '__main__':
    if not shutil.which('redis-server'):
        print('1..0 # SKIP NO REDIS-SERVER HERE')
        sys.exit(0)
    main(dict(globals()))
