#!/usr/bin/env python3
# petrel-test: timeout=120
"""The whole way on SONiC: a real redis-server, petreld, and what the collector
holds, field by field against the databases."""
import os
import re
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import agent                                            # noqa: E402
import driver_said                                      # noqa: E402
import test_sonic                                       # noqa: E402
from asics import Asics, of_asic, part                  # noqa: E402
import sonic_dumps                                      # noqa: E402
from redis import Redis                                 # noqa: E402
from sonic_expect import Dump                           # noqa: E402
from sonic_twin import Twin                             # noqa: E402

# enum entity_kind and enum attribute, as the wire numbers them.
KINDS = (None, 'switch', 'asic', 'sensor', 'pool', 'port', 'module', 'lane',
         'queue', 'priority', 'priority_group', 'pool_share')
with open(os.path.join(driver_said.TOP, 'include/petrel/entity.h')) as f:
    ATTRIBUTES = [None] + [a.lower() for a in re.findall(
        r'^\tATTRIBUTE_(\w+)\b', f.read(), re.M)]

QUALITIES = ('good', 'estimated', 'stale', 'implausible', 'below_resolution')


class Collected(driver_said.Said):
    """What a collector holds of an agent, in a driver's words."""

    def __init__(self, records):
        super().__init__('')
        self.sources = {}
        for r in records:
            if r['kind'] == 'dictionary':
                self.take_dictionary(r['content'])
            elif r['kind'] == 'batch':
                self.take_values(r['content'].get('values', []))
        self.entities = {x['handle']: x for x in self.of('entity')}

    def take_dictionary(self, content):
        for s in content.get('sources', []):
            self.sources[s['number']] = s['name'].split('.', 1)[1]
        for e in content.get('entities', []):
            self.lines.append({'type': 'entity', 'handle': e['id'],
                               'kind': KINDS[e['kind']], 'name': e['name'],
                               'parent': e['parent'], 'number': e['number']})
            self.lines += [{'type': 'attribute', 'handle': e['id'],
                            'attribute': ATTRIBUTES[a['key']],
                            'text': a['text']} for a in e['attributes']]

    def take_values(self, values):
        self.lines += [{'type': 'sample', 'handle': v['entity'], 't_ns': 0,
                        'source': self.sources[v['source']],
                        'quantity': v['quantity'], 'index': v['index'],
                        'value': v['value'],
                        'quality': QUALITIES.index(v['quality'])}
                       for v in values
                       if v['quantity'] and
                       not v['quantity'].startswith('self_')]


# What a monitor may ask of a database that others own (C6).
READING = {'select', 'hgetall', 'hmget', 'hget', 'keys', 'scan', 'exists',
           'type', 'ping', 'hello', 'client', 'info', 'config|resetstat',
           'hscan', 'hlen', 'get', 'mget', 'dbsize', 'subscribe',
           'config|get'}


EXACT = '[Agent]\ntraffic = exact\n'     # what was read is compared


def commands_seen(redis):
    client = redis.client()
    try:
        lines = client.ask('INFO', 'commandstats').splitlines()
    finally:
        client.close()
    return {line.split(':')[0].replace('cmdstat_', '') for line in lines
            if line.startswith('cmdstat_')}


def all_read(bed):
    return all(s['state'] not in ('idle', 'waiting')
               for s in bed.json('status')['sources'])


def are_told(limits, hidden):
    """Each source of hidden tells its command."""
    return all(any(x['source'] == source and '`%s`' % command in x['limit']
                   for x in limits) for source, command in hidden.items())


def collect(content, hidden):
    """Runs an agent over the databases, and asks it and its collector. Gives
    what the collector holds, the ports, and the commands that redis saw."""
    with Redis() as redis:
        for name in test_sonic.NAMES:
            redis.load(name, content[name])
        client = redis.client()
        client.ask('CONFIG', 'RESETSTAT')
        client.close()
        with agent.Bed(driver='sonic', root=redis.root, extra=EXACT) as bed:
            bed.collector.start()
            bed.agent.start()
            agent.check(bed.wait_serving(), bed.agent.log())
            agent.check(agent.wait_for(lambda: all_read(bed), 20, 0.2),
                        'not all sources are read:', bed.ask('status')[1])
            time.sleep(2)
            ports = {p['port'] for p in bed.json('ports')['ports']}
            limits = agent.wait_for(lambda: bed.json('coverage')['limits'],
                                    every=0.2) or []
            bed.agent.stop()
            time.sleep(0.5)
            return (Collected(bed.records()), ports, limits,
                    commands_seen(redis))


def check(tap, title, content):
    dump = Dump(**content)
    hidden = {}
    if not any('PFC_WD_STATUS' in row for row in
               dump.db['COUNTERS_DB'].values()):
        hidden['sonic.pfcwd'] = 'pfcwd start_default'
    if dump.row('FLEX_COUNTER_DB', 'FLEX_COUNTER_GROUP_TABLE:'
                'QUEUE_WATERMARK_STAT_COUNTER')['POLL_INTERVAL'] == '60000':
        hidden['sonic.watermarks'] = 'counterpoll watermark interval 1000'
    said, ports, limits, commands = collect(content, hidden)
    tap.ok(commands & {'hgetall', 'hmget'} and commands <= READING,
           title + ': test_c06_agent_only_reads_the_databases',
           commands - READING)
    tap.ok(ports == set(dump.ports()), title + ': petrel ports lists them all',
           ports ^ set(dump.ports()))
    tap.ok(are_told(limits, hidden),
           title + ': petrel coverage says what the settings hide', limits)
    test_sonic.compare(tap, title, said, dump)


def check_asics(tap):
    """Two ASICs with the same object ids, each compared by itself."""
    twins = [Twin(seed=20 + n, asic=n) for n in (0, 1)]
    with Asics() as asics:
        for redis, twin in zip(asics.asic, twins):
            for name in test_sonic.NAMES:
                redis.load(name, twin.db[name])
        asics.host.load('CONFIG_DB', {'DEVICE_METADATA|localhost':
                                      {'hostname': 'twin'}})
        with agent.Bed(driver='sonic', root=asics.root, extra=EXACT) as bed:
            bed.collector.start()
            bed.agent.start()
            agent.check(bed.wait_serving(), bed.agent.log())
            time.sleep(3.5)
            bed.agent.stop()
            time.sleep(0.5)
            said = Collected(bed.records())
    for n, twin in enumerate(twins):
        test_sonic.compare(tap, 'asic%d at the collector' % n,
                           part(said, 'asic%d' % n), Dump(**of_asic(twin.db)))


def check_late(tap):
    """Redis comes after the agent: no source waits for its period, which is a
    minute for some."""
    def failing():
        return [s['source'] for s in bed.json('status')['sources']
                if s['state'] in ('absent', 'broken')]

    with Redis() as redis:
        twin = Twin()
        redis.stop()
        with agent.Bed(driver='sonic', root=redis.root, extra=EXACT) as bed:
            bed.agent.start()
            agent.check(bed.wait_serving(), bed.agent.log())
            agent.check(agent.wait_for(failing, 20), 'nothing is absent')
            redis.start()
            for name in sonic_dumps.NAMES:
                redis.load(name, twin.db[name])
            healed = agent.wait_for(lambda: not failing(), 25)
            left = failing()
            bed.stop()
    tap.ok(healed, 'every source is there soon after redis is', left)


def main():
    tap = driver_said.Tap()
    check_late(tap)
    check_asics(tap)
    check(tap, 'twin at the collector', Twin().db)
    if sonic_dumps.are_here():
        check(tap, 'Z9100 at the collector', sonic_dumps.z9100())
    else:
        tap.skip('real dump at the collector',
                 'NO REAL DUMPS HERE: the twin was compared')
    return tap.end()


if __name__ == '__main__':
    sys.exit(main())
