#!/usr/bin/env python3
"""Labelled traces from a model of its own, for judging the detectors.

usage: trace_gen.py [--seed N] [--ports N] [--mode fast|slow|soak] [--hard]
                    [--hours H] DIR

Writes PORTS.ndjson, SAMPLES.ndjson (the format of petrel replay) and
LABELS.ndjson into DIR. Shares neither code nor constants with the detectors
nor with the simulated switch: errors are a base level, a response to the
module's heat (diurnal, load with a lag, slightly bent), and wander made of
slow processes, the sum of which is nearly 1/f. Among the healthy: load
phases, swaps, restarts, missing samples, steps of the clock, readings of a
hung bus, 32-bit counters, no histogram, held batches.

fast: 1 Hz; slow: a sample a minute; soak: slow and no faults.
"""
import argparse
import json
import math
import os
import random

EPOCH = 1_767_225_600_000_000_000
S = 1_000_000_000
CODEWORDS = {'rs544': (78.125e6, 5440), 'rs528': (19.53e6, 5280)}
CLIFF = {'rs544': -3.58, 'rs528': -4.55}


class Wander:
    """Slow benign change: relaxations of many lengths, added."""

    def __init__(self, rng, sd):
        self.rng = rng
        self.parts = [[0.0, sd * 0.5, tau] for tau in
                      (120, 900, 7200, 50000)]
        for part in self.parts:
            part[0] = rng.gauss(0, part[1])

    def step(self, dt):
        total = 0.0
        for part in self.parts:
            keep = math.exp(-dt / part[2])
            part[0] = part[0] * keep + \
                self.rng.gauss(0, part[1]) * math.sqrt(1 - keep * keep)
            total += part[0]
        return total


class Fault:
    """One planted fault of a port, or a benign thing that happens to it."""

    def __init__(self, kind, start, **more):
        self.kind, self.start = kind, start
        self.end = more.pop('end', math.inf)
        self.benign = more.pop('benign', False)
        self.more = more
        self.cliff = None


def growth(f, t, base, cliff):
    """Decades above the base, by one of three laws."""
    x = (t - f.start) / f.more['life']
    span = cliff - base
    law = f.more['law']
    if law == 'decades':
        return x * span
    if law == 'bent':
        return (0.75 * x + 0.25 * x * x) * span
    q0, q1 = math.sqrt(-base - 0.6), math.sqrt(-cliff - 0.6)
    inverse = (1 - x) / q0 ** 2 + x / q1 ** 2
    return max(-1.0 / max(inverse, 0.15) - 0.6, base) - base


class Port:
    def __init__(self, rng, n, args):
        self.rng, self.args = rng, args
        self.name = 'Ethernet%d' % (8 * n)
        self.copper = n % 8 == 7
        self.fec = 'rs528' if n % 16 == 5 else 'rs544'
        self.lanes = 4
        self.narrow = n % 8 == 3
        self.histogram = n % 4 != 2 and not self.narrow
        self.faults = []
        self.counts = dict.fromkeys(
            ('cw', 'ucw', 'sym', 'bits', 'in', 'out', 'downs'), 0)
        self.bins = [0] * 16
        self.load, self.load_until, self.heat = rng.uniform(.2, .8), 0, 0.0
        self.phase = rng.uniform(-2500, 2500)
        self.noise = rng.uniform(.03, .07) * (2 if args.hard else 1)
        self.dom_period = 60 if args.hard or args.mode != 'fast' else \
            rng.choice((10, 10, 20))
        self.dom, self.dom_at = None, -1e9
        self.new_module()

    def new_module(self):
        r = self.rng
        self.serial = 'TG%08X' % r.getrandbits(32)
        top = -5.4 if self.fec == 'rs544' else -6.6
        self.base = r.uniform(-8.6, top)
        self.beta = r.choice((.012, .03, .05, .07, .095)) * \
            (.3 if self.copper else 1)
        self.bend = r.uniform(0, .0015)
        self.temp0 = r.uniform(40, 55)
        self.warmth = r.uniform(3, 7)
        self.diurnal = r.uniform(1.5, 4.5)
        self.lag = r.uniform(120, 420)
        self.rx = [r.uniform(-3, 1) for _ in range(self.lanes)]
        self.wander = Wander(r, self.noise)

    def facts(self):
        f = {'port': self.name, 'media': 'DAC' if self.copper else 'FR4',
             'lanes': self.lanes, 'fec': self.fec,
             'speed_gbps': 400 if self.fec == 'rs544' else 100,
             'group': 'core%d' % (int(self.name[8:]) // 64),
             'optical': not self.copper, 'thresholds': None}
        if self.narrow:
            f['counter_bits'] = 32
        return f

    def active(self, kind, t):
        return [f for f in self.faults
                if f.kind == kind and f.start <= t < f.end]

    def is_up(self, t, down_all):
        if down_all or self.active('link_down', t) or \
                self.active('swap', t) or self.active('peer_restart', t) or \
                self.active('admin', t):
            return False
        for f in self.active('flap_burst', t):
            if (t - f.start) % f.more['every'] < f.more['last']:
                return False
        return True

    def falls(self, t, dt):
        """Of flaps, those that began since the step before."""
        n = 0
        for f in self.active('flap_burst', t):
            every = f.more['every']
            n += int((t - f.start) / every) - \
                max(int((t - dt - f.start) // every), -1)
        return n

    def temperature(self, t, dt):
        if t >= self.load_until:
            self.load = self.rng.uniform(.1, .95)
            self.load_until = t + self.rng.expovariate(1 / 2400)
        aim = self.load * self.warmth
        self.heat += (aim - self.heat) * (1 - math.exp(-dt / self.lag))
        day = self.diurnal * math.sin(2 * math.pi * (t + self.phase) / 86400)
        hot = 0.0
        for f in self.active('thermal', t):
            hot = min((t - f.start) / f.more['over'], 1) * f.more['kelvin']
        return self.temp0 + self.heat + day + hot

    def log_ber(self, t, dt, temp):
        k = temp - self.temp0
        y = self.base + self.beta * k + self.bend * k * abs(k) + \
            self.wander.step(dt)
        self.dark = [0.0] * self.lanes
        for f in self.faults:
            if not f.start <= t < f.end:
                continue
            if f.kind in ('fec_growth', 'optical_decay'):
                y += growth(f, t, self.base, CLIFF[self.fec])
                if f.kind == 'optical_decay':
                    self.dark = [2.5 * (t - f.start) / f.more['life']] * \
                        self.lanes
            elif f.kind == 'contamination':
                y += f.more['decades']
                self.dark[0] = f.more['decades'] / 1.6
            elif f.kind == 'spikes' and (t - f.start) % f.more['every'] < \
                    f.more['last']:
                y += 2.0
        if y > CLIFF[self.fec]:
            for f in self.faults:
                if f.cliff is None and f.start <= t and not f.benign:
                    f.cliff = t
        return min(y, -2.2)

    def count(self, log_ber, dt):
        rate, size = CODEWORDS[self.fec]
        cw = rate * dt
        expected = 10 ** log_ber * cw * size
        bits = max(0, round(self.rng.gauss(expected, math.sqrt(
            1.3 * expected + .5)))) if expected > 20 else \
            sum(self.rng.random() < expected / 64 for _ in range(64))
        c = self.counts
        c['bits'] += bits
        c['sym'] += round(bits / 1.07)
        rate = bits / 1.07 / cw
        p, left = math.exp(-rate), cw
        wrong = 0
        for k in range(16):
            n = round(cw * p) if k else 0
            self.bins[k] += n
            wrong += n if k else 0
            p *= rate / (k + 1)
        self.bins[0] += round(left - wrong)
        c['cw'] += wrong
        tail = cw * p * 1.2 * (16 if rate > 1 else 1)
        c['ucw'] += int(tail) + (self.rng.random() < tail % 1)
        for way in ('in', 'out'):
            c[way] += int(5e10 * self.load * dt * self.rng.uniform(.9, 1.1))

    def read_dom(self, t, temp, up):
        if t - self.dom_at < self.dom_period:
            return
        self.dom_at = t
        r = self.rng
        self.dom = {
            'dom_ts_ns': None, 'temp_c': round(temp + r.gauss(0, .15), 2),
            'vcc_v': round(3.3 + r.gauss(0, .01), 3),
            'tx_dbm': [1.2] * self.lanes, 'tx_bias_ma': [60.0] * self.lanes,
            'rx_dbm': [round(x - d + r.gauss(0, .05), 3) if up else -40.0
                       for x, d in zip(self.rx, self.dark)]}
        if self.active('garbage', t):
            self.dom.update(r.choice((
                {'temp_c': -0.0039, 'vcc_v': 6.5535,
                 'rx_dbm': [8.165] * self.lanes,
                 'tx_bias_ma': [131.07] * self.lanes},
                {'temp_c': None, 'vcc_v': None, 'rx_dbm': None},
                {'temp_c': r.uniform(-60, 127)},
                {'temp_c': 0.0, 'vcc_v': 0.0, 'rx_dbm': [-40.0] * self.lanes,
                 'tx_bias_ma': [0.0] * self.lanes})))
        if self.copper:
            self.dom.update(rx_dbm=None, tx_dbm=None, tx_bias_ma=None,
                            temp_c=None, vcc_v=None)

    def sample(self, t, ts, dt, offset, up):
        c, mask = self.counts, 0xffffffff if self.narrow else (1 << 64) - 1
        s = {'ts_ns': ts, 'port': self.name, 'oper': int(up),
             'admin': 0 if self.active('admin', t) else 1,
             'present': 0 if self.active('swap', t) else 1,
             'serial': None if self.active('swap', t) else self.serial,
             'link_down_count': c['downs'], 'fec_corrected_cw': c['cw'] & mask,
             'fec_uncorrectable_cw': c['ucw'],
             'fec_symbol_errors': c['sym'] & mask,
             'fec_corrected_bits': c['bits'] & mask,
             'fec_hist': list(self.bins) if self.histogram else None}
        if self.dom:
            s.update(self.dom)
            s['dom_ts_ns'] = EPOCH + int(self.dom_at * S) + offset
        s['in_octets'], s['out_octets'] = c['in'], c['out']
        return s


def plant_faults(rng, ports, args, end):
    """One fault on most ports; benign happenings on all."""
    slow = args.mode != 'fast'
    kinds = ['fec_growth'] * 5 + ['contamination', 'optical_decay', 'spikes',
                                  'thermal', 'flap_burst', 'link_down', None,
                                  None, None, None, None]
    for p in ports:
        kind = rng.choice(kinds) if args.mode != 'soak' else None
        start = rng.uniform(.18, .5) * end
        if p.copper and kind in ('optical_decay', 'contamination', 'thermal'):
            kind = 'fec_growth'
        life = rng.uniform(18, 40) * 3600 if slow else rng.uniform(900, 2000)
        if kind in ('fec_growth', 'optical_decay'):
            p.faults.append(Fault(kind, start, life=life * (
                1.3 if args.hard else 1),
                law=rng.choice(('decades', 'bent', 'noise'))))
        elif kind == 'contamination':
            p.faults.append(Fault(kind, start,
                                  decades=rng.uniform(.8, 2)))
        elif kind == 'spikes':
            p.faults.append(Fault(kind, start, every=rng.uniform(
                300, 900) if not slow else 7200, last=20 if not slow else 60))
        elif kind == 'thermal':
            p.faults.append(Fault(kind, start, kelvin=rng.uniform(7, 12),
                                  over=life / 3))
        elif kind == 'flap_burst':
            every = rng.uniform(10, 120)
            n = rng.randint(4, 12)
            p.faults.append(Fault(kind, start, every=every, last=2 if
                                  not slow else every / 3,
                                  end=start + n * every))
        elif kind == 'link_down':
            p.faults.append(Fault(kind, start))
        if kind is None:
            benign(rng, p, end, slow)


def benign(rng, p, end, slow):
    def at(share):
        return rng.uniform(.1, .9) * end if rng.random() < share else None

    for name, share, low, high in (
            ('swap', .25, 60, 400), ('peer_restart', .12, 60, 400),
            ('admin', .15, 60, 900), ('garbage', .5, 30, 400)):
        t = at(share)
        if t:
            p.faults.append(Fault(name, t, benign=True, end=t + rng.uniform(
                low, high) * (3 if slow else 1)))


class Switch:
    def __init__(self, args):
        self.args = args
        self.rng = random.Random(args.seed)
        self.dt = 1 if args.mode == 'fast' else 60
        self.end = (args.hours or (1 if args.mode == 'fast' else 96)) * 3600
        self.ports = [Port(self.rng, n, args) for n in range(args.ports)]
        plant_faults(self.rng, self.ports, args, self.end)
        r = self.rng
        self.restart = r.uniform(.3, .9) * self.end if r.random() < .3 \
            else math.inf
        self.clock = sorted((r.uniform(.05, .95) * self.end, r.choice(
            (-30, -5, -2, 2, 20, 45))) for _ in range(r.randint(0, 2)))
        self.pause = r.uniform(.2, .8) * self.end if r.random() < .3 \
            else math.inf
        self.steps = list(self.clock)
        self.missing = .03 if args.hard else .004
        self.offset, self.held = 0, []

    def follow_clock(self, t):
        while self.clock and t >= self.clock[0][0]:
            self.offset += self.clock.pop(0)[1] * S

    def port_step(self, p, t, was_up, out):
        down_all = self.restart <= t < self.restart + 240
        up = p.is_up(t, down_all)
        falls = p.falls(t, self.dt)
        p.counts['downs'] += falls if falls else was_up and not up
        for f in p.active('swap', t):
            if not f.more.get('done'):
                f.more['done'] = True
                p.new_module()
        temp = p.temperature(t, self.dt)
        y = p.log_ber(t, self.dt, temp)
        if up:
            p.count(y, self.dt)
        p.read_dom(t, temp, up)
        silent = self.restart <= t < self.restart + 120 or \
            self.pause <= t < self.pause + 600
        if not silent and self.rng.random() >= self.missing:
            ts = EPOCH + int(t * S) + self.offset + \
                self.rng.randrange(20_000_000)
            self.write(json.dumps(p.sample(t, ts, self.dt, self.offset, up),
                                  separators=(',', ':')), out)
        return up

    def write(self, line, out):
        out.write(line + '\n')
        if self.held and self.rng.random() < .02:
            out.write(self.held.pop() + '\n')
        if self.rng.random() < .0005:
            self.held.append(line)          # comes once more, late

    def run(self, out):
        up = [True] * len(self.ports)
        t = 0
        while t < self.end:
            self.follow_clock(t)
            if self.restart <= t < self.restart + self.dt:
                for p in self.ports:
                    p.counts = dict.fromkeys(p.counts, 0)
                    p.bins = [0] * 16
            for i, p in enumerate(self.ports):
                up[i] = self.port_step(p, t, up[i], out)
            t += self.dt


def wall(switch, t):
    """A time on the switch's clock, steps and all."""
    if t is None or t == math.inf:
        return None
    return EPOCH + int(t * S) + S * sum(
        step for at, step in switch.steps if at <= t)


def labels(switch):
    for p in switch.ports:
        for f in p.faults:
            yield {'port': p.name, 'fault': f.kind, 'benign': f.benign,
                   'start_ns': wall(switch, f.start),
                   'end_ns': wall(switch, f.end),
                   'cliff_ns': wall(switch, f.cliff),
                   'law': f.more.get('law')}


def main():
    a = argparse.ArgumentParser()
    a.add_argument('--seed', type=int, default=1)
    a.add_argument('--ports', type=int, default=32)
    a.add_argument('--mode', choices=('fast', 'slow', 'soak'), default='fast')
    a.add_argument('--hard', action='store_true')
    a.add_argument('--hours', type=float)
    a.add_argument('dir')
    args = a.parse_args()
    switch = Switch(args)
    os.makedirs(args.dir, exist_ok=True)
    with open(args.dir + '/PORTS.ndjson', 'w') as out:
        for p in switch.ports:
            out.write(json.dumps(p.facts()) + '\n')
    with open(args.dir + '/SAMPLES.ndjson', 'w') as out:
        switch.run(out)
    with open(args.dir + '/LABELS.ndjson', 'w') as out:
        for label in labels(switch):
            out.write(json.dumps(label) + '\n')


if __name__ == '__main__':
    main()
