#!/usr/bin/env python3
"""What cannot be believed is absent, with its reason, and does not stay as it
was: the same faults twice, in a module's memory (driver module) and in SONiC's
tables (driver sonic), with the same expectations. And a Redis that stalls: what
is old says so, and no rate spans the stall.
"""
import os
import shutil
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
from agent import check, wait_for                       # noqa: E402
from vswitch import VSwitch                             # noqa: E402

# Modules take their readings once: whoever changes them is this test.
SCENARIO = 'switch ports=4 speed=800G lanes=8 media=DR8 seed=21 dom=1h\n'
PORT, CAGE = 'Ethernet0', 1
PORTS = ['Ethernet%d' % (8 * n) for n in range(4)]
BLIND = PORTS[1]                # its flags are not known
STATE_DB = 6
LANES = range(1, 9)
NO_REDIS = 'NO REDIS-SERVER HERE'
SPEED = 3       # of all clocks but the test's own


class Memory:
    """The modules' memory, as optoe has it: page p is at 128 * (p + 1)."""
    driver = 'module'
    reason = 'all ones'

    def __init__(self, switch, _haste):
        self.path = [os.path.join(switch.root, 'sys/bus/i2c/devices',
                                  '%d-0050' % (n + 1), 'eeprom')
                     for n in range(len(PORTS))]
        with open(self.path[0], 'rb') as f:
            self.whole = f.read()
        with open(os.path.join(switch.root, 'map'), 'w',
                  encoding='ascii') as f:
            for n, port in enumerate(PORTS):
                f.write('%d file /sys/bus/i2c/devices/%d-0050/eeprom %s\n' %
                        (n + 1, n + 1, port))
        # who does not own them knows no flags at all
        self.extra = '[Module]\nmap = /map\nowner = yes\n'

    def put(self, at, octets, cage=CAGE):
        with open(self.path[cage - 1], 'r+b') as f:
            f.seek(at)
            f.write(octets)

    def break_some(self):
        """Light of lanes 2 to 4, and the temperature."""
        self.put(0x11 * 128 + 186 + 2, b'\xff' * 6)
        self.put(14, b'\x80\x00')

    def empty(self):
        self.put(0x11 * 128 + 128, bytes(128))

    def fill(self):
        for n in range(len(PORTS)):
            self.put(0x11 * 128 + 128, b'\xff' * 128, n + 1)

    def blind(self):
        self.put(0x11 * 128 + 128, bytes(128), PORTS.index(BLIND) + 1)

    def unknown(self):
        for n in range(len(PORTS)):
            self.put(0, b'\x55', n + 1)

    def mend(self):
        self.put(0, self.whole)


class Tables:
    """The same by the rows that xcvrd writes."""
    driver = 'sonic'
    reason = 'not finite'
    extra = ''

    def __init__(self, switch, haste):
        self.db, self.haste = switch.redis[0].client(STATE_DB), haste
        self.key = 'TRANSCEIVER_DOM_SENSOR|' + PORT
        words = self.db.ask('HGETALL', self.key)
        self.whole = dict(zip(words[::2], words[1::2]))
        self.stamps = {}

    def put(self, key=None, **fields):
        """As xcvrd, which writes a row once in a second at most: a second one
        with the same stamp would be taken for the same reading."""
        key, now = key or self.key, None
        while now in (None, self.stamps.get(key)):
            time.sleep(0.05 if now else 0)
            now = time.strftime('%a %b %d %H:%M:%S %Y',
                                time.gmtime(self.haste.now_s()))
        self.stamps[key] = fields['last_update_time'] = now
        self.db.ask('HSET', key,
                    *[x for pair in fields.items() for x in pair])

    def break_some(self):
        self.put(rx2power='nan', rx3power='N/A', rx4power='inf',
                 temperature='nan')

    def empty(self):
        self.put(**{k: 'N/A' for k in self.whole})

    def fill(self):
        for port in PORTS:
            self.put('TRANSCEIVER_DOM_SENSOR|' + port,
                     **{k: 'inf' for k in self.whole})

    def blind(self):
        for table in ('TRANSCEIVER_STATUS_FLAG|', 'TRANSCEIVER_DOM_FLAG|'):
            names = self.db.ask('HGETALL', table + BLIND)[::2]
            self.put(table + BLIND, **{k: 'N/A' for k in names})

    def unknown(self):
        for port in PORTS:
            self.db.ask('DEL', 'TRANSCEIVER_INFO|' + port)
            self.put('TRANSCEIVER_DOM_SENSOR|' + port, **self.whole)

    def mend(self):
        self.put(**self.whole)


def lights(bed):
    """By lane; None: absent."""
    said = bed.json('lanes', PORT).get('lanes', [])
    return {x['lane']: x['rx_mw'] for x in said}


def row_of(bed, verb, key, value):
    """{} while there is none."""
    for row in bed.json(verb).get(verb, []):
        if row[key] == value:
            return row
    return {}


def port_of(bed):
    return row_of(bed, 'ports', 'port', PORT)


def module_of(bed):
    return row_of(bed, 'modules', 'cage', CAGE)


def until(what, *words):
    wait_for(what, 30 * agent.SLOW, 0.2)
    check(what(), *words)


def all_good(bed):
    seen = lights(bed)
    return sorted(seen) == list(LANES) and None not in seen.values() and \
        module_of(bed).get('temp_c') is not None and \
        port_of(bed).get('temp_c') is not None


def some_broken(bed, way):
    until(lambda: lights(bed).get(3, 1) is None, lights(bed))
    seen = lights(bed)
    check([n for n in LANES if seen.get(n) is None] == [2, 3, 4], seen)
    until(lambda: module_of(bed)['temp_c'] is None, module_of(bed))
    port, module = port_of(bed), module_of(bed)
    check(port['temp_c'] is None, port)
    least = min(v for v in seen.values() if v is not None)
    check(abs(port['rx_min_mw'] - least) < 1e-9, port, seen)
    check(way.reason in module['reading_faults'], module)
    table = bed.ask('lanes', PORT)[1]
    check('dark' not in table and '?' not in
          ''.join(x for x in table.splitlines() if x.startswith(PORT)), table)


def none_left(bed):
    """Nothing that the page could say is told: no light, no dark, no flag."""
    until(lambda: set(lights(bed).values()) == {None}, lights(bed))
    check(port_of(bed)['rx_min_mw'] is None, port_of(bed))
    check('dark' not in bed.ask('lanes', PORT)[1], bed.ask('lanes', PORT)[1])
    check(bed.json('lanes', PORT)['flags'] == [], bed.json('lanes', PORT))


def flags_are_each_modules(bed):
    """Of one they are known, and none is raised; of the other they are not."""
    until(lambda: bed.json('lanes', PORT)['lanes'][0]['rx_los'] is False,
          bed.json('lanes', PORT))
    said = bed.ask('lanes', PORT)[1]
    check('flags: none raised\n' in said, said)
    for words in ((BLIND,), ()):
        said = bed.ask('lanes', *(words or ('all',)))[1]
        check('flags: none raised of those that were read' in said and
              'flags: not known for %s' % BLIND in said, said)
    lanes = bed.json('lanes', BLIND)['lanes']
    check([x['rx_los'] for x in lanes] == [None] * 8, lanes)


def nothing_taken(bed, way):
    """Modules that are of no type: what is read of them is dropped, and told."""
    def said():
        return [x for x in bed.json('status')['sources']
                if x['source'] == way.driver + '.dom'][0]
    until(lambda: said()['reason'], said())
    for _ in range(5):          # and goes on saying so
        check(said()['state'] != 'fresh' and said()['reason'] and
              not said()['values'], said())
        time.sleep(0.2)
    check(lights(bed) == {}, lights(bed))


def bed_of(way, switch, haste):
    return agent.Bed(driver=way.driver, root=switch.root, interval='200ms',
                     collector=False, extra=way.extra, haste=haste)


def trust(way_of):
    if not shutil.which('redis-server'):
        return NO_REDIS
    haste = agent.Haste(SPEED)
    with VSwitch(SCENARIO, journal=False, haste=haste) as switch:
        way = way_of(switch, haste)
        way.blind()
        with bed_of(way, switch, haste) as bed:
            bed.agent.start()
            bed.wait_serving()
            until(lambda: all_good(bed), 'never good', bed.ask('lanes'))
            flags_are_each_modules(bed)
            way.break_some()
            some_broken(bed, way)
            way.empty()
            none_left(bed)
            way.mend()
            until(lambda: all_good(bed), 'not over', bed.ask('lanes', PORT))
            way.fill()
            none_left(bed)
            way.unknown()
        with bed_of(way, switch, haste) as bed:
            bed.agent.start()
            bed.wait_serving()
            nothing_taken(bed, way)
    return None


def test_c03_memory_that_cannot_be_leaves_no_value():
    return trust(Memory)


def test_c03_table_that_cannot_be_leaves_no_value():
    return trust(Tables)


def test_c04_stall_marks_what_is_old_and_leaves_no_rate():
    if not shutil.which('redis-server'):
        return NO_REDIS
    haste = agent.Haste(SPEED)
    with VSwitch(SCENARIO, journal=False, haste=haste) as switch, \
            agent.Bed(driver='sonic', root=switch.root, collector=False,
                      haste=haste) as bed:
        bed.agent.start()
        bed.wait_serving()
        until(lambda: port_of(bed).get('util_ppm') is not None and
              port_of(bed).get('peer'), port_of(bed))
        most = 1.5 * port_of(bed)['util_ppm']
        peer = port_of(bed)['peer']
        switch.redis[0].signal(signal.SIGSTOP)
        try:
            until(lambda: port_of(bed).get('util_quality') == 'stale',
                  port_of(bed))
            until(lambda: ' s ago' in bed.ask()[1], bed.ask()[1])
            check('?' in [x for x in bed.ask('ports')[1].splitlines()
                          if x.startswith(PORT)][0], bed.ask('ports'))
            # All sources were asked once more: who was known still is.
            until(lambda: port_of(bed)['util_age_s'] > 12, port_of(bed))
            check(port_of(bed)['peer'] == peer, port_of(bed), peer)
        finally:
            switch.redis[0].signal(signal.SIGCONT)
        until(lambda: not port_of(bed).get('util_quality'), port_of(bed))
        for _ in range(15):
            port = port_of(bed)
            check((port['util_ppm'] or 0) < most, port, most)
            time.sleep(0.2)
    return None


if __name__ == '__main__':
    agent.main(globals())
