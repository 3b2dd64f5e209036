#!/usr/bin/env python3
# petrel-test: timeout=240
"""The agent as a whole: start, faults of its surroundings, reload, end."""
import glob
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
import redis                                            # noqa: E402
import sonic_twin                                       # noqa: E402
from agent import Bed, check, wait_for                  # noqa: E402

HEALTHY = os.path.join(agent.SCENARIOS, 'healthy.scenario')
BUSY = os.path.join(agent.SCENARIOS, 'busy.scenario')


def batches(records):
    return [r for r in records if r['kind'] == 'batch']


def batch_times(records):
    """Seconds of each tick, parts counted once."""
    return sorted({r['content']['mono_ns'] for r in batches(records)})


def longest_pause(records):
    times = batch_times(records)
    return max((b - a for a, b in zip(times, times[1:])), default=0) / 1e9


def test_serves_within_a_second():
    with Bed(HEALTHY) as bed:
        begin = time.monotonic()
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        took = time.monotonic() - begin
        print('# serving after %.2f s' % took)
        bed.pids()


def test_wrong_key_at_start_names_file_line_and_nearest():
    with Bed(HEALTHY, extra='[Query]\nreed = all\n') as bed:
        run = subprocess.run([agent.program('petreld'), '--config', bed.conf,
                              '--root', '/', '--foreground'], text=True,
                             capture_output=True, check=False, timeout=20)
        check(run.returncode == 78, run.returncode, run.stderr)
        check(re.search(r"petrel\.conf:\d+: unknown key 'reed'.*'read'",
                        run.stderr), run.stderr)
        run = subprocess.run([agent.program('petreld'), '--config', bed.conf,
                              '--check'], text=True, capture_output=True,
                             check=False, timeout=20)
        check(run.returncode == 78, '--check', run.returncode)


def test_reload_fails_with_file_and_line_and_keeps_the_old():
    with Bed(HEALTHY, interval='200ms') as bed:
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        bed.write_conf('[Log]\nlevel = shout\n')
        code, out, err = bed.ask('reload')
        check(code != 0, 'reload took a bad file', out)
        check(re.search(r'petrel\.conf:\d+: level = shout', err + out),
              err + out)
        check(bed.ask('ports')[0] == 0, 'no longer serving')
        bed.write_conf('[Log]\nlevel = warning\n')
        code, out, err = bed.ask('reload')
        check(code == 0, code, out, err)


def test_second_agent_is_refused_with_the_reason():
    with Bed(HEALTHY) as bed:
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        run = subprocess.run(bed.agent.argv, text=True, capture_output=True,
                             check=False, timeout=20)
        check(run.returncode != 0, 'a second agent started')
        check('another petreld' in run.stderr, run.stderr)
        check(bed.ask('ports')[0] == 0, 'the first one suffered')


def ring_path(bed, stream):
    return os.path.join(bed.run_dir, stream + '.ring')


def run_of(bed):
    return {bed.json('status')['agent']['run']}


def test_cut_ring_begins_a_new_run_and_names_the_old():
    with Bed(HEALTHY, interval='200ms') as bed:
        bed.collector.start()
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        before = run_of(bed)
        time.sleep(1)
        bed.agent.stop()
        os.truncate(ring_path(bed, 'samples'), 1000)
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        after = run_of(bed)
        check(before != after and len(after) == 1, before, after)
        log = bed.agent.log()
        check(re.search(r'samples\.ring.*(short|octets)', log), log[-500:])
        check(wait_for(lambda: any(
            r['kind'] == 'run' and r['run'] in after and
            r['content']['previous_run'] in before
            for r in bed.records(stream='states')), 20, 0.5),
              'no run record names', before)


def test_restart_goes_on_with_the_run():
    with Bed(HEALTHY, interval='200ms') as bed:
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        before = run_of(bed)
        bed.agent.stop()
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        check(run_of(bed) == before, before, run_of(bed))


def stopped_for(bed, pid, seconds):
    os.kill(pid, signal.SIGSTOP)
    try:
        time.sleep(seconds)
    finally:
        os.kill(pid, signal.SIGCONT)


def check_pause(who, records, late):
    """No sample is late by more than an interval of a second; what the machine
    itself lacks is not the agent's."""
    pause = longest_pause(records)
    print('# %s stopped 4 s: longest pause between batches %.2f s, the '
          'machine late by %.2f s' % (who, pause, late.worst))
    check(len(batch_times(records)) > 5, 'too few batches')
    check(pause <= 2.0 + late.worst, 'samples late by', pause - 1)


def lateness_while_stopped(who):
    with Bed(BUSY, interval='1s') as bed, agent.Lateness() as late:
        bed.collector.start()
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        time.sleep(2)
        pid = bed.collector.pid if who == 'collector' else bed.pid_of(who)
        stopped_for(bed, pid, 4)
        time.sleep(1.5)
        check(wait_for(lambda: not any(
            s['queued'] > 3 for s in bed.json('status')['streams']), 20),
            bed.ask('status')[1])
        records = bed.records()
        faults, _ = agent.missing_sequences(records)
        check(not faults, faults[:3])
        check_pause(who, records, late)


def test_stopped_reader_makes_nothing_late():
    lateness_while_stopped('reader')


def test_stopped_collector_makes_nothing_late():
    lateness_while_stopped('collector')


def test_stopped_redis_makes_nothing_late():
    if not shutil.which('redis-server'):
        return 'NEEDS redis-server'
    twin = sonic_twin.Twin()
    with redis.Redis() as server:
        for name, content in twin.db.items():
            server.load(name, content)
        with Bed(HEALTHY, driver='sonic,sim', root=server.root,
                 interval='1s') as bed, agent.Lateness() as late:
            bed.collector.start()
            bed.agent.start()
            check(bed.wait_serving(), bed.agent.log())
            ports = wait_for(lambda: len(bed.json('ports')['ports']) >= 64 +
                             len(twin.ports) - 8, 10)
            check(ports, 'sonic and sim together:', bed.ask('ports')[1])
            server.signal(signal.SIGSTOP)
            time.sleep(4)
            told = bed.ask('status')[1]
            server.signal(signal.SIGCONT)
            check(re.search(r'sonic\.counters +(absent|broken|waiting)', told),
                  told)
            time.sleep(2)
            check(wait_for(lambda: not any(
                s['queued'] > 3 for s in bed.json('status')['streams']), 20),
                bed.ask('status')[1])
            check_pause('redis', bed.records(), late)
    return None


def test_collector_away_costs_nothing_that_fits():
    with Bed(HEALTHY, interval='200ms') as bed:
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        time.sleep(4)
        bed.collector.start()
        check(wait_for(lambda: all(
            s['queued'] <= 2 for s in bed.json('status')['streams']), 30),
            bed.ask('status')[1])
        records = bed.records()
        faults, _ = agent.missing_sequences(records)
        check(not faults, faults[:3])
        check(not [r for r in records if r['kind'] == 'gap'], 'a gap')
        bed.agent.stop()
        streams_print_apart(bed)


def streams_print_apart(bed):
    """--print --stream: the same records, names included, one stream's."""
    everything = bed.records()
    for stream in ('findings', 'states', 'samples'):
        wanted = [r for r in everything if r['stream'] == stream]
        check(bed.records(stream=stream) == wanted, stream, len(wanted))
    check(any('name' in v for v in wanted[-1]['content']['values']),
          'samples without names')
    run = subprocess.run(agent.command(
        'petrel-collector', '--config', bed.collector_conf, '--print',
        '--stream', 'sample'), capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL)
    check(run.returncode == 64 and run.stdout == '' and run.stderr ==
          'petrel-collector: no stream sample; expected findings states '
          'samples\n', run)


def test_what_does_not_fit_is_told_in_gaps_that_count():
    small = ('[Agent]\nsamples_ring = 256K\nstates_ring = 256K\n'
             'findings_ring = 256K\n')
    with Bed(BUSY, interval='100ms', extra=small,
             sim='speed = 20\n') as bed:
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        time.sleep(6)
        bed.collector.start()
        check(wait_for(lambda: all(
            s['queued'] <= 3 for s in bed.json('status')['streams']), 40),
            bed.ask('status')[1])
        bed.agent.stop()
        records = bed.records()
        faults, last = agent.missing_sequences(records)
        check(not faults, faults[:3])
        gaps = [r for r in records if r['kind'] == 'gap']
        check(gaps, 'nothing was dropped: the test is too small')
        missing = sum(r['last'] - r['sequence'] + 1 for r in gaps)
        held = len([r for r in records if r['kind'] != 'gap'])
        check(held + missing == sum(last.values()), held, missing, last)
        print('# held %d, told missing %d' % (held, missing))


def test_garbage_to_the_collector_hurts_nobody():
    with Bed(HEALTHY, interval='200ms') as bed:
        bed.collector.start()
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        port = int(bed.url.rsplit(':', 1)[1])
        check(wait_for(bed.records, 15, 0.2), bed.collector.log())
        for seed in range(20):
            with socket.create_connection(('127.0.0.1', port)) as s:
                # a REQ's SP header, then frames that are none
                s.sendall(b'\0SP\0\0\x30\0\0')
                body = os.urandom(seed * 7 + 1)
                s.sendall(len(body).to_bytes(8, 'big') + body)
        time.sleep(1)
        check(bed.collector.is_running(), bed.collector.log())
        check(wait_for(lambda: all(
            s['queued'] <= 2 for s in bed.json('status')['streams']), 20),
            bed.ask('status')[1])


def test_each_process_comes_back_and_the_run_goes_on():
    with Bed(HEALTHY, interval='200ms') as bed:
        bed.collector.start()
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        run = run_of(bed)
        for role in ('reader', 'core', 'sender'):
            pid = bed.pid_of(role)
            os.kill(pid, signal.SIGKILL)
            check(wait_for(lambda: bed.pid_of(role) not in (None, pid)),
                  role, 'did not come back')
            check(bed.wait_serving(), bed.agent.log())
        check(run_of(bed) == run, 'another run')
        check(wait_for(lambda: all(
            s['queued'] <= 2 for s in bed.json('status')['streams']), 30),
            bed.ask('status')[1])
        faults, _ = agent.missing_sequences(bed.records())
        check(not faults, faults[:3])


def test_c15_own_cost_is_a_quantity_like_any_other():
    with Bed(HEALTHY, interval='200ms') as bed:
        bed.collector.start()
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        time.sleep(2)
        bed.agent.stop()
        seen = {}
        for r in batches(bed.records()):
            for v in r['content'].get('values', []):
                seen.setdefault((v['quantity'], v['index']), []).append(
                    v['value'])
        for role in range(4):
            cpu = seen.get(('self_cpu_ns', role))
            check(cpu and cpu == sorted(cpu), 'CPU time of process', role, cpu)
            check(seen.get(('self_memory_octets', role)), 'memory of', role)
        for stream in range(3):
            check(('self_queued_records', stream) in seen, 'queue', stream)
            check(('self_dropped_records', stream) in seen, 'drops', stream)
        check(('self_late_ticks', 0) in seen, 'late ticks')
        values = seen.get(('self_values', 0))
        check(values and values[-1] > values[0] > 0, 'values', values)


def test_c15_memory_over_its_budget_shortens_the_history_and_says_so():
    told = 'memory_budget is exceeded: the history reaches back '
    with Bed(HEALTHY, collector=False) as bed:
        with open(bed.conf, encoding='utf-8') as f:
            conf = f.read().replace('memory_budget = 8192M',
                                    'memory_budget = 1M')
        with open(bed.conf, 'w', encoding='utf-8') as f:
            f.write(conf)
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        check(wait_for(lambda: told in bed.json('status')['agent']['budget'],
                       20 * agent.SLOW, 0.2), bed.json('status')['agent'])
        budget = bed.json('status')['agent']['budget']
        check('memory_budget is exceeded: slow' not in budget,
              'history goes first:', budget)
        because = bed.json('health', '--agent')['health']['because']
        check(told in because, because)
        check(told + '450 s instead of 900 s' in bed.agent.log(),
              bed.agent.log())
        values = bed.json('status')['agent']['values']
        check(wait_for(lambda: bed.json('status')['agent']['values'] > values,
                       10 * agent.SLOW), 'it does not go on')


def test_512_ports_with_ten_queues_each_are_all_read():
    if agent.WRAP:
        return 'TOO MUCH UNDER A WRAPPER'
    with Bed(collector=False) as bed:
        scenario = os.path.join(bed.dir, 'large.scenario')
        with open(scenario, 'w', encoding='utf-8') as f:
            f.write('switch name=large ports=512 speed=400G lanes=4 '
                    'media=DR4 queues=10\n')
        with open(bed.conf, 'a', encoding='utf-8') as f:
            f.write('[Sim]\nscenario = %s\n' % scenario)
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())

        def unread():
            queues = bed.json('queues', '--all')['queues']
            ports = bed.json('ports')['ports']
            return [q for q in queues if q['rate_bps'] is None] or \
                [p for p in ports if p['speed_mbps'] is None] or \
                5120 - len(queues) or 512 - len(ports)
        check(wait_for(lambda: not unread(), 20 * agent.SLOW, 0.5),
              'not read:', str(unread())[:300])
        check(bed.json('status')['agent']['left_out'] is None,
              bed.json('status')['agent'])


def test_no_process_stays_behind():
    with Bed(HEALTHY) as bed:
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        pids = bed.pids()
        bed.agent.stop()
        check(not [p for p in pids if os.path.exists('/proc/%d' % p)], pids)
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        pids = bed.pids()
        bed.agent.kill()
        check(wait_for(lambda: not [
            p for p in pids if os.path.exists('/proc/%d' % p)], 5),
            'children outlive a killed supervisor', pids)


def test_c15_own_cost_is_right_below_a_second():
    """What status tells is what its own counts and /proc say."""
    def took(pids):     # not by ticks: at a tick is when a sampler wakes
        ns = 0
        for pid in pids:
            for thread in glob.glob('/proc/%d/task/*/schedstat' % pid):
                with open(thread, encoding='ascii') as f:
                    ns += int(f.read().split()[0])
        return ns / 1e9

    with Bed(BUSY, interval='100ms', collector=False) as bed:
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        pids = bed.pids()
        before, cpu, began = bed.json('status'), took(pids), time.monotonic()
        told = wait_for(lambda: time.monotonic() - began > 11 and
                        bed.json('status'), 30 * agent.SLOW, 0.1)
        passed = time.monotonic() - began
        values = (int(told['agent']['values']) -
                  int(before['agent']['values'])) / passed
        ppm = (took(pids) - cpu) / passed * 1e6
        check(0.7 < told['agent']['values_per_s'] / values < 1.4,
              told['agent'], values)
        print("# cost", told["agent"]["cpu_ppm"], ppm)
        check(0.5 < told['agent']['cpu_ppm'] / ppm < 2, told['agent'], ppm)


def main():
    suite = agent.Suite()
    for name, function in list(globals().items()):
        if name.startswith('test_') and (
                len(sys.argv) < 2 or sys.argv[1] in name):
            suite.run(name, function)
    suite.end()


if __name__ == '__main__':
    main()
