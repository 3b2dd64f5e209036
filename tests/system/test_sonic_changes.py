#!/usr/bin/env python3
# petrel-test: timeout=150
"""What changes on a SONiC switch is told within a second, in words of its own,
and makes no false step of a counter and no finding: settings, modules,
breakouts, services; redis that is killed, stopped or flushed, object ids that
are others, CONFIG_DB that is written anew."""
import json
import os
import signal
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
sys.path.insert(0, HERE)
import agent                                            # noqa: E402
import driver_said                                      # noqa: E402
import test_sonic                                       # noqa: E402
from driver_said import Running, now_ns                 # noqa: E402
from redis import Redis                                 # noqa: E402
from sonic_expect import Dump                           # noqa: E402
from sonic_twin import Twin                             # noqa: E402

S = 10 ** 9
SECRET = 'hunter2-do-not-tell'
STEP = 1000
READY = 'CONFIG_DB_INITIALIZED'
CONTROL = 'Ethernet40'
BEGUN = {       # a row of each table that tells of rows that come
    'NEIGH_STATE_TABLE|10.0.0.9': {'state': 'Established'},
    'FEATURE|lldp': {'system_state': 'up', 'update_time': '1'},
}


def load(redis, content):
    for name in test_sonic.NAMES:
        if name in content:
            redis.load(name, content[name])


def calm_twin(**more):
    """Nothing is wrong with it."""
    twin = Twin(warts=False, **more)
    twin.db['CONFIG_DB'][READY] = '1'
    twin.db['CONFIG_DB']['TACPLUS|global'] = {'passkey': SECRET}
    twin.db['CONFIG_DB']['BGP_NEIGHBOR|10.0.0.1'] = {'password': SECRET}
    twin.db['CONFIG_DB']['DEVICE_METADATA|localhost']['auth_key'] = SECRET
    for key, row in BEGUN.items():
        twin.db['STATE_DB'][key] = dict(row)
    for cage in (8,):       # its cage is empty: nobody wants that port up
        name = twin.name(56)
        twin.db['APPL_DB']['PORT_TABLE:' + name].update(
            oper_status='down', admin_status='down')
    return twin


def write_cause(root):
    path = os.path.join(root, 'host/reboot-cause')
    os.makedirs(path)
    with open(os.path.join(path, 'previous-reboot-cause.json'), 'w',
              encoding='ascii') as f:
        json.dump({'gen_time': '2026_11_21_04_53_58', 'cause': 'warm-reboot',
                   'user': 'admin', 'time': 'Sat Nov 21 04:51:47 UTC 2026',
                   'comment': 'N/A'}, f)


# --- the driver: what is told ------------------------------------------------

class Doing:
    """What a test does to the databases, with the time of each."""

    def __init__(self, redis):
        self.redis, self.at = redis, {}

    def do(self, name, db, *commands):
        client = self.redis.client(db)
        self.at[name] = now_ns()
        client.all(commands)
        client.close()


def breakout(doing):
    """Ethernet8 becomes two ports of half its lanes, as DPB does it."""
    row = dict(alias='etp2a', index='2', subport='1', lanes='9,10,11,12',
               speed='200000', mtu='9100', fec='rs', admin_status='up')
    flat = [x for p in row.items() for x in p]
    second = ['HSET', 'PORT|Ethernet12'] + flat + [
        'subport', '2', 'alias', 'etp2b', 'lanes', '13,14,15,16']
    doing.do('breakout', 'CONFIG_DB', ['HSET', 'PORT|Ethernet8'] + flat,
             second, ['HSET', 'BREAKOUT_CFG|Ethernet8', 'brkout_mode',
                      '2x200G'])
    doing.do('breakout', 'APPL_DB', ['HSET', 'PORT_TABLE:Ethernet12'] + flat +
             ['subport', '2', 'lanes', '13,14,15,16', 'oper_status', 'up'],
             ['HSET', 'PORT_TABLE:Ethernet8'] + flat)
    doing.do('breakout', 'COUNTERS_DB',
             ['HSET', 'COUNTERS:oid:0x1000000099999',
              'SAI_PORT_STAT_IF_IN_OCTETS', '5'],
             ['HSET', 'COUNTERS_PORT_NAME_MAP', 'Ethernet12',
              'oid:0x1000000099999'])


def joined(doing):
    """… and one again."""
    doing.do('joined', 'COUNTERS_DB',
             ['HDEL', 'COUNTERS_PORT_NAME_MAP', 'Ethernet12'])
    doing.do('joined', 'APPL_DB', ['DEL', 'PORT_TABLE:Ethernet12'])
    doing.do('joined', 'CONFIG_DB', ['DEL', 'PORT|Ethernet12'])


def modules_restart(redis, doing):
    """xcvrd stops, and begins again."""
    client = redis.client('STATE_DB')
    rows = {k: client.ask('HGETALL', k)
            for k in client.ask('KEYS', 'TRANSCEIVER_INFO|*')}
    client.close()
    doing.do('xcvrd', 'STATE_DB', *[['DEL', k] for k in rows])
    time.sleep(0.6)
    first, *others = [['HSET', k] + v for k, v in rows.items()]
    doing.do('xcvrd', 'STATE_DB', first)
    time.sleep(0.5)
    doing.do('xcvrd others', 'STATE_DB', *others)


def reload_config(redis, doing, config, empty_s=0.5):
    """As config reload does: flushed, and written anew."""
    client = redis.client('CONFIG_DB')
    client.ask('FLUSHDB')
    client.ask('SET', READY, '0')   # so that all is read while it is empty
    client.ask('DEL', READY)
    client.close()
    time.sleep(empty_s)
    redis.load('CONFIG_DB', {k: v for k, v in config.items() if k != READY})
    time.sleep(0.3)
    doing.do('reload', 'CONFIG_DB', ['SET', READY, '1'])


def play_changes(redis, twin):
    doing = Doing(redis)
    doing.do('settings', 'CONFIG_DB',
             ['HSET', 'PORT|Ethernet0', 'mtu', '1500'],
             ['HSET', 'WRED_PROFILE|AZURE', 'green_max_threshold', '2000'],
             ['HSET', 'QUEUE|Ethernet0|3', 'wred_profile', 'AZURE'],
             ['HSET', 'TACPLUS|global', 'passkey', SECRET + '2'],
             ['HSET', 'PORTCHANNEL|PortChannel1', 'mtu', '9100',
              'macsec_secret', SECRET],
             ['HSET', 'DEVICE_METADATA|localhost', 'auth_key', SECRET + '2'],
             ['HSET', 'BGP_DEVICE_GLOBAL|STATE', 'tsa_enabled', 'true'])
    doing.do('port', 'APPL_DB', ['HSET', 'PORT_TABLE:Ethernet0', 'mtu',
                                 '1500', 'admin_status', 'down'])
    doing.do('state', 'STATE_DB',
             ['HSET', 'NEIGH_STATE_TABLE|10.0.0.1', 'state', 'Established'],
             ['HSET', 'FEATURE|bgp', 'system_state', 'up', 'update_time',
              '1'],
             ['HSET', 'TRANSCEIVER_FIRMWARE_INFO|Ethernet24',
              'active_firmware', '9.9'],
             ['HSET', 'TRANSCEIVER_INFO|Ethernet32', 'serial', 'SWAPPED'],
             ['HSET', 'WARM_RESTART_ENABLE_TABLE|system', 'enable', 'true'],
             ['HSET', 'WARM_RESTART_TABLE|orchagent', 'state',
              'initialized'])
    time.sleep(1.2)
    doing.do('warm over', 'STATE_DB',
             ['HSET', 'WARM_RESTART_TABLE|orchagent', 'state', 'reconciled'],
             ['HSET', 'NEIGH_STATE_TABLE|10.0.0.1', 'state', 'Idle'],
             ['HSET', 'FEATURE|bgp', 'update_time', '2'])
    breakout(doing)
    time.sleep(1.3)
    joined(doing)
    time.sleep(1.3)
    modules_restart(redis, doing)
    config = dict(twin.db['CONFIG_DB'])
    config['PORT|Ethernet16'] = dict(config['PORT|Ethernet16'], fec='none')
    config['PORT|Ethernet0'] = dict(config['PORT|Ethernet0'], mtu='1500')
    time.sleep(0.5)
    reload_config(redis, doing, config)
    time.sleep(1.7)
    return doing


def events(said):
    """(event, what it is of, item, from, to, time)"""
    out = []
    for e in said.of('event'):
        item, was, now = ((e['text'] or '') + '\t\t').split('\t')[:3]
        of = said.name(e['handle']) if e['handle'] else None
        out.append((e['event'], of and of[1], item, was, now, e['t_ns']))
    return out


EXPECTED = (    # what is done, its event
    ('settings', 'setting_changed', 'Ethernet0', 'PORT|Ethernet0 mtu', '9100',
     '1500'),
    ('settings', 'setting_changed', None, 'WRED_PROFILE|AZURE', '',
     'green_max_threshold=2000'),
    ('settings', 'setting_changed', None, 'PORTCHANNEL|PortChannel1', '',
     'mtu=9100'),
    ('settings', 'tsa_changed', None, 'BGP_DEVICE_GLOBAL|STATE tsa_enabled',
     '', 'true'),
    ('port', 'port_changed', 'Ethernet0', 'mtu', '9100', '1500'),
    ('port', 'port_changed', 'Ethernet0', 'admin', 'up', 'down'),
    ('state', 'bgp_changed', None, '10.0.0.1', '', 'Established'),
    ('warm over', 'bgp_changed', None, '10.0.0.1', 'Established', 'Idle'),
    ('state', 'service_restarted', None, 'bgp', '', 'up'),
    ('warm over', 'service_restarted', None, 'bgp', '1', '2'),
    ('state', 'firmware_changed', 4, 'firmware', '2.1.4', '9.9'),
    ('state', 'module_inserted', 5, 'SWAPPED', '', ''),
    ('breakout', 'setting_changed', 'Ethernet8', 'PORT|Ethernet8 speed',
     '400000', '200000'),
    ('breakout', 'setting_changed', 'Ethernet8', 'BREAKOUT_CFG|Ethernet8', '',
     'brkout_mode=2x200G'),
    ('breakout', 'port_changed', 'Ethernet8', 'lanes', '8', '4'),
    ('xcvrd', 'service_restarted', None, 'xcvrd', '',
     'TRANSCEIVER_INFO of all modules was removed and came back'),
    ('reload', 'settings_reloaded', None, 'CONFIG_DB', '', ''),
    ('reload', 'setting_changed', 'Ethernet16', 'PORT|Ethernet16 fec', 'rs',
     'none'),
)


def check_told(tap, said, doing):
    told = events(said)
    for done, *event in EXPECTED:
        times = [t - doing.at[done] for *e, t in told if e == event]
        tap.ok(times and min(times, key=abs) < 1.5 * S,
               '%s: %s is told within a second' % (
                   done, ' '.join(str(x) for x in event if x)),
               times or [e[:5] for e in told if e[0] == event[0]])
    reloaded = [e for e in told if e[0] == 'setting_changed'
                and e[5] > doing.at['reload'] - S]
    tap.ok({e[2] for e in reloaded} <= {
        'PORT|Ethernet16 fec', 'PORT|Ethernet8 speed', 'PORT|Ethernet8 lanes',
        'PORT|Ethernet8 alias', 'PORT|Ethernet8 subport',
        'PORT|Ethernet8 description', 'PORT|Ethernet8 role',
        'BREAKOUT_CFG|Ethernet8', 'WRED_PROFILE|AZURE',
        'PORTCHANNEL|PortChannel1', 'QUEUE|Ethernet0|3'},
        'a reload tells what differs, and nothing else', reloaded)
    tap.ok(not [e for e in told if e[0] == 'module_removed'
                and e[5] > doing.at['xcvrd'] - S],
           'xcvrd that begins anew takes no module away')
    tap.ok(SECRET not in json.dumps(said.lines) and
           'passkey' not in json.dumps(said.lines),
           'no secret of CONFIG_DB ever leaves it')
    tap.ok([e[2:5] for e in told if e[0] == 'rebooted'] == [
        ('2026_11_21_04_53_58', '',
         'warm-reboot (admin, Sat Nov 21 04:51:47 UTC 2026)')],
        'the cause of the last reboot is an event',
        [e for e in told if e[0] == 'rebooted'])


def check_inventory(tap, said, doing):
    came = [x['t_ns'] for h, e in said.entities.items()
            if e['name'] == 'Ethernet12' for x in said.of('entity', handle=h)]
    handle = [h for h, e in said.entities.items() if e['name'] == 'Ethernet12']
    went = [x['t_ns'] for x in said.of('gone') if x['handle'] in handle]
    tap.ok(came and -S < came[0] - doing.at['breakout'] < 1.5 * S,
           'a port that is broken out is there within a second',
           [(t - doing.at['breakout']) / S for t in came])
    tap.ok(went and -S < went[0] - doing.at['joined'] < 1.5 * S,
           '… and gone within a second when it is one again',
           [(t - doing.at['joined']) / S for t in went])
    lanes = [(x['t_ns'], x['text']) for x in said.of('attribute')
             if x['handle'] in handle and x['attribute'] == 'first_lane']
    tap.ok(lanes and lanes[0][1] == '3', '… with lanes of its own', lanes)
    flags = {}
    for x in said.of('sample', source='changes'):
        flags.setdefault(x['quantity'], []).append(x['value'])
    tap.ok(sorted(set(flags.get('warm_reboot', []))) == [0, 1]
           and flags['warm_reboot'][-1] == 0,
           'a warm reboot is told while components restore', flags)
    tap.ok(1 in flags.get('tsa', []) and flags['tsa'][-1] == 0,
           'TSA is told, and its end', flags.get('tsa'))


def test_driver(tap):
    twin = calm_twin()
    with Redis() as redis:
        load(redis, twin.db)
        write_cause(redis.root)
        run = Running('sonic', redis.root, 11, '--period-ms', '500')
        time.sleep(2)
        doing = play_changes(redis, twin)
        said = run.end()
    tap.ok(said.status == 0 and not said.of('fault'), 'the contract holds',
           said.of('fault')[:5])
    check_told(tap, said, doing)
    check_inventory(tap, said, doing)
    done = doing.at['settings']
    limits = said.samples('changes', after=done, before=done + 5 * S)
    tap.ok(limits.get(('queue', 'Ethernet0:3', 'queue_wred_max_octets',
                       0)) == 2000,
           'what follows from a setting for a queue is told with it',
           [k for k in limits if k[0] == 'queue'])


def changed(said):
    return [e[:5] for e in events(said) if e[0] in (
        'setting_changed', 'settings_reloaded', 'tsa_changed', 'bgp_changed',
        'service_restarted', 'card_changed')]


def test_beginning(tap):
    """A switch that starts after Petrel: what its parts write at first, in
    whatever order, is where changes begin, and none itself."""
    twin = calm_twin()
    config = sorted(twin.db['CONFIG_DB'].items())
    half = len(config) // 2
    config = [(k, v) for k, v in config if k != READY]
    with Redis() as redis:
        run = Running('sonic', redis.root, 9, '--period-ms', '500')
        time.sleep(1)
        redis.load('CONFIG_DB', dict(config[:half]))
        time.sleep(1)
        redis.load('CONFIG_DB', dict(config[half:] + [(READY, '1')]))
        for name in ('APPL_DB', 'COUNTERS_DB'):
            redis.load(name, twin.db[name])
        time.sleep(1)
        for turn in range(40):  # each session as it comes up
            redis.load('STATE_DB', {'NEIGH_STATE_TABLE|10.0.1.%d' % turn: {
                'state': 'Active' if turn < 5 else 'Established'}})
        redis.load('STATE_DB', {'CHASSIS_MODULE_TABLE|LINE-CARD0': {
            'oper_status': 'Online'}})
        time.sleep(1)
        doing = Doing(redis)
        doing.do('bgp', 'STATE_DB', ['HSET', 'NEIGH_STATE_TABLE|10.0.1.0',
                                     'state', 'Established'])
        doing.do('setting', 'CONFIG_DB', ['HSET', 'SCHEDULER|new', 'type',
                                          'DWRR'])
        said = run.end()
    told = sorted(changed(said), key=str)
    tap.ok(told == [
        ('bgp_changed', None, '10.0.1.0', 'Active', 'Established'),
        ('setting_changed', None, 'SCHEDULER|new', '', 'type=DWRR')],
        'what a switch writes while it starts is no change; what comes after '
        'is', told[:20])


def test_without_events(tap):
    """A server that makes no events is asked."""
    twin = calm_twin()
    with Redis(notify='') as redis:
        load(redis, twin.db)
        run = Running('sonic', redis.root, 14, '--period-ms', '1000')
        time.sleep(1.5)
        Doing(redis).do('settings', 'CONFIG_DB',
                        ['HSET', 'PORT|Ethernet0', 'mtu', '1500'])
        said = run.end()
    tap.ok(any(e[2] == 'PORT|Ethernet0 mtu' for e in events(said)),
           'without keyspace events a change is seen all the same')
    notes = {r for _, r in said.states('changes') if r}
    tap.ok(any('notify-keyspace-events' in r for r in notes),
           '… and status says what it is like', notes)


# --- the agent: no false step, no finding -------------------------------------

class Player(threading.Thread):
    """syncd: each port's counters grow, from a base that no other has."""

    def __init__(self, redis, twin):
        super().__init__(daemon=True)
        self.redis, self.twin = redis, twin
        self.lock, self.ended = threading.Lock(), threading.Event()
        self.turn, self.paused = 0, False
        self.base = {p[0]: (i + 1) * 10 ** 12
                     for i, p in enumerate(twin.ports)}

    def row(self, port):
        value = self.base[port] + self.turn * STEP
        out = {}
        for field in ('IF_IN_OCTETS', 'IF_OUT_OCTETS', 'IF_IN_UCAST_PKTS',
                      'IF_OUT_UCAST_PKTS'):
            out['SAI_PORT_STAT_' + field] = value
        for field in ('IF_IN_ERRORS', 'IF_IN_DISCARDS', 'IF_OUT_DISCARDS',
                      'IF_IN_FEC_NOT_CORRECTABLE_FRAMES'):
            out['SAI_PORT_STAT_' + field] = 0
        bits = 10 ** 9 + self.turn * 40     # some 1e-10 at 400G
        out['SAI_PORT_STAT_IF_IN_FEC_CORRECTED_BITS'] = bits
        out['SAI_PORT_STAT_IF_IN_FEC_SYMBOL_ERRORS'] = bits
        out['SAI_PORT_STAT_IF_IN_FEC_CORRECTABLE_FRAMES'] = bits
        return out

    def oids(self):
        return self.twin.db['COUNTERS_DB']['COUNTERS_PORT_NAME_MAP']

    def commands(self):
        return [['HSET', 'COUNTERS:' + oid] +
                [str(x) for p in self.row(port).items() for x in p]
                for port, oid in self.oids().items() if port in self.base]

    def write(self, client=None):
        """One turn of syncd's, as a pipeline of its own."""
        own = client is None
        try:
            client = client or self.redis.client('COUNTERS_DB')
            client.all(self.commands())
        except (OSError, RuntimeError, ValueError):
            pass        # redis is away: syncd goes on counting
        finally:
            if own and client:
                client.close()

    def run(self):
        while not self.ended.wait(0.25):
            with self.lock:
                self.turn += 1
                if not self.paused:
                    self.write()

    def content(self):
        """All of the twin, its counters as they stand now."""
        db = {n: dict(rows) for n, rows in self.twin.db.items()}
        for port, oid in self.oids().items():
            if port in self.base:
                db['COUNTERS_DB']['COUNTERS:' + oid] = self.row(port)
        return db


def renumber(player):
    """Every object has another's id, from one moment to the next."""
    new = Twin(seed=7, first_oid=0x1001, warts=False, now=player.twin.now)
    new.db['CONFIG_DB'] = player.twin.db['CONFIG_DB']
    new.db['APPL_DB'] = player.twin.db['APPL_DB']
    with player.lock:
        player.twin = new
        content = player.content()['COUNTERS_DB']
        client = player.redis.client('COUNTERS_DB')
        commands = [['MULTI'], ['FLUSHDB']]
        for key, row in content.items():
            commands.append(['HSET', key] + [str(x) for p in row.items()
                                             for x in p])
        client.all(commands)
        client.ask('EXEC')
        client.close()


def flush_counters(player):
    """COUNTERS_DB is empty for a while; then orchagent fills it again."""
    client = player.redis.client('COUNTERS_DB')
    with player.lock:
        player.paused = True
        client.ask('FLUSHDB')
    client.close()
    time.sleep(2)
    with player.lock:
        player.redis.load('COUNTERS_DB', player.content()['COUNTERS_DB'])
        player.paused = False


def kill_redis(player):
    with player.lock:
        player.paused = True
        player.redis.kill()
    time.sleep(1)
    with player.lock:
        player.redis.start()
        load(player.redis, player.content())
        player.paused = False


def stop_redis(player):
    with player.lock:
        player.paused = True
        player.redis.signal(signal.SIGSTOP)
    time.sleep(3)
    with player.lock:
        player.redis.signal(signal.SIGCONT)
        player.paused = False


def reload_all(player, empty_s=0.5):
    """config reload: CONFIG_DB, APPL_DB and COUNTERS_DB begin anew."""
    for db in ('APPL_DB', 'COUNTERS_DB'):
        client = player.redis.client(db)
        with player.lock:
            player.paused = True
            client.ask('FLUSHDB')
        client.close()
    reload_config(player.redis, Doing(player.redis),
                  player.twin.db['CONFIG_DB'], empty_s)
    renumber(player)
    player.redis.load('APPL_DB', player.twin.db['APPL_DB'])
    with player.lock:
        player.paused = False


def values_of(records, quantity):
    """{port: values in the order in which the collector has them}"""
    names, out = {}, {}
    for r in records:
        content = r.get('content', {})
        for e in content.get('entities', []):
            names[e['id']] = e['name']
        for v in content.get('values', []):
            if v['quantity'] == quantity:
                out.setdefault(names[v['entity']], []).append(v['value'])
    return out


def wrong_steps(player, got):
    """Values that were never this port's, or that go back."""
    wrong = []
    for port, values in got.items():
        turns = [divmod(v - player.base[port], STEP) for v in values]
        wrong += [(port, v) for v, (k, rest) in zip(values, turns)
                  if rest or not 0 <= k <= player.turn]
        wrong += [(port, a, b) for a, b in zip(values, values[1:]) if b < a]
    return wrong


def test_agent(tap):
    redis = Redis()
    try:
        redis.start()
        player = Player(redis, calm_twin())
        load(redis, player.content())
        with agent.Bed(driver='sonic', root=redis.root) as bed:
            check_agent(tap, bed, player)
    finally:
        redis.stop()


def check_agent(tap, bed, player):
    bed.collector.start()
    bed.agent.start()
    agent.check(bed.wait_serving(), bed.agent.log())
    player.start()
    time.sleep(2.5)
    for what in (renumber, flush_counters, kill_redis, stop_redis):
        what(player)
        time.sleep(2.5)
    reload_until_seen(bed, player)
    ok = agent.wait_for(lambda: not stale(bed), 20)
    tap.ok(ok, 'after all that every source is fresh', stale(bed))
    findings = bed.json('findings')['findings']
    tap.ok(not findings, 'test_c08_no_finding_from_what_the_switch_does',
           findings)
    check_commands(tap, bed)
    check_tsa(tap, bed, player)
    player.ended.set()
    player.join()
    time.sleep(2.5)
    bed.agent.stop()
    time.sleep(0.5)
    records = bed.records()
    got = values_of(records, 'if_in_octets')
    wrong = wrong_steps(player, got)
    tap.ok(not wrong and len(got) == len(player.base),
           'no wrong step: each value is one that was played for its port',
           wrong[:5])
    last = {p: v[-1] for p, v in got.items()}
    tap.same(last, {p: b + player.turn * STEP
                    for p, b in player.base.items()},
             "the agent's totals are what was played")
    said = [r for r in records if r['kind'] == 'finding' and
            r['content']['finding']['port'] != CONTROL]
    tap.ok(not said, '… nor was one ever raised', said[:2])
    check_offline(tap, bed)


def changes_of(bed):
    return [c['what'] for c in bed.json('changes')['changes']]


def reload_until_seen(bed, player):
    """A database that is empty for as long as a busy machine needs to see it:
    on a switch it is for many seconds."""
    for empty_s in (0.5, 2, 8):
        reload_all(player, empty_s)
        time.sleep(2.5)
        if 'config reload CONFIG_DB' in changes_of(bed):
            break


def check_commands(tap, bed):
    what = changes_of(bed)
    for word in ('service redis', 'service syncd', 'config reload CONFIG_DB',
                 'object ids'):
        tap.ok(word in what, "petrel changes lists '%s'" % word, what)
    code, out, _ = bed.ask('changes', '--since', '2h')
    tap.ok(code == 0 and out.split()[:5] == ['WHEN', 'WHAT', 'ENTITY', 'FROM',
                                             'TO'], 'petrel changes: its table',
           out[:300])
    some = bed.json('changes', 'Ethernet0')['changes']
    tap.ok(all(c['entity'] == 'Ethernet0' for c in some),
           'petrel changes PORTS: of these alone', some)
    tap.ok(bed.ask('changes', 'Ethernet999')[0] == 66 and
           bed.ask('changes', '--since', 'x')[0] == 64 and
           bed.ask('events', 'Ethernet0,,')[0] == 64,
           'petrel changes: exit codes of wrong words')
    tap.ok(bed.json('changes', '--since', '1ms')['changes'] == [],
           'petrel changes --since: not what is older')


def stale(bed):
    """Sources that are not fresh; those that are asked once a minute may have
    to wait for their turn."""
    return [s['source'] + ' ' + s['state'] for s in
            bed.json('status')['sources'] if s['state'] not in
            ('fresh', 'asked', 'unsupported') and s['period_s'] <= 10]


def link(player, port, oper):
    Doing(player.redis).do('link', 'APPL_DB', [
        'HSET', 'PORT_TABLE:' + port, 'oper_status', oper])


def check_tsa(tap, bed, player):
    """A link that falls while traffic is shifted away is no finding; the same
    fall afterwards is one."""
    tsa = ['HSET', 'BGP_DEVICE_GLOBAL|STATE', 'tsa_enabled']
    Doing(player.redis).do('tsa', 'CONFIG_DB', tsa + ['true'])
    agent.wait_for(lambda: 'TSA' in bed.ask('status')[1], 5)
    link(player, 'Ethernet0', 'down')
    time.sleep(3)
    said = bed.json('findings')['findings']
    why = [r['why'] for r in bed.json('coverage')['coverage']
           if r['signature'] == 'link_down']
    tap.ok(not said and 'TSA' in why[0],
           'during TSA a link that falls is no finding, and coverage says so',
           (said, why))
    link(player, 'Ethernet0', 'up')
    time.sleep(1.5)
    Doing(player.redis).do('tsa', 'CONFIG_DB', tsa + ['false'])
    agent.wait_for(lambda: 'TSA' not in bed.ask('status')[1], 5)
    link(player, CONTROL, 'down')
    said = agent.wait_for(lambda: bed.json('findings')['findings'], 5) or []
    tap.ok([f['port'] for f in said] == [CONTROL],
           '… and one when that is over', said)
    before = said[0].get('changes', []) if said else []
    tap.ok(any('tsa_enabled: true to false' in c for c in before),
           '… that names what was changed before', said)


def check_offline(tap, bed):
    code, out, _ = bed.ask('changes', '--json')
    changes = json.loads(out)
    what = [c['what'] for c in changes['changes']]
    tap.ok(code == 3 and 'service redis' in what and changes['agent_down'],
           'with the agent down the rings tell what was changed',
           (code, what))
    bed.agent.start()
    agent.check(bed.wait_serving(), bed.agent.log())
    again = [c['what'] for c in bed.json('changes')['changes']]
    tap.ok(again[:len(what)] == what and what,
           'what was changed before a restart is still known', again)


def test_follow(tap):
    """events --follow says each as it comes; the reload of a key as well."""
    with agent.Bed(agent.SCENARIOS + '/healthy.scenario',
                   collector=False) as bed:
        bed.agent.start()
        agent.check(bed.wait_serving(), bed.agent.log())
        with open(os.path.join(bed.dir, 'follow'), 'w+',
                  encoding='utf-8') as f:
            run = agent.subprocess.Popen(
                agent.command('petrel', '--socket', bed.socket, 'events',
                              '--follow'), stdout=f, stderr=f)
            time.sleep(1)
            bed.write_conf('[Log]\nlevel = debug\n', collector=False)
            code = bed.ask('reload')[0]
            time.sleep(0.5)
            run.terminate()
            run.wait()
            f.seek(0)
            text = f.read()
        tap.ok(code == 0 and 'petrel [Log] level' in text and
               'debug' in text, 'petrel events --follow: each as it comes',
               text)
        again = bed.json('changes')['changes']
        tap.ok([(c['item'], c['to']) for c in again
                if c['event'] == 'petrel_changed'] ==
               [('[Log] level', 'debug')],
               "Petrel's own configuration that changes is a change", again)
        check_version(tap, bed)


def check_version(tap, bed):
    bed.agent.stop()
    with open(os.path.join(bed.run_dir, 'version'), 'w',
              encoding='ascii') as f:
        f.write('0.0.1\n')
    bed.agent.start()
    agent.check(bed.wait_serving(), bed.agent.log())
    told = [c for c in bed.json('changes')['changes']
            if c['item'] == 'version']
    tap.ok(len(told) == 1 and told[0]['from'] == '0.0.1',
           'another version that takes over a run is a change', told)


def main():
    tap = driver_said.Tap()
    driver_said.side_by_side(tap, [
        test for test in (test_agent, test_driver, test_without_events,
                          test_beginning, test_follow)
        if len(sys.argv) < 2 or sys.argv[1] in test.__name__])
    return tap.end()


if __name__ == '__main__':
    sys.exit(main())
