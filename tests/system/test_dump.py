#!/usr/bin/env python3
"""petrel dump reads each file of records that Petrel writes, and what is left
of damaged ones.
"""
import glob
import gzip
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'support'))
# pylint: disable=wrong-import-position
from agent import SCENARIOS, TREE, Bed, check, command, main, wait_for  # noqa: E402

DAMAGE = 'damaged'
STORE_HEADER_LEN = 16


def dump(*args, octets=None):
    run = subprocess.run(command('petrel', 'dump', *args), input=octets,
                         stdin=None if octets is not None
                         else subprocess.DEVNULL,
                         capture_output=True, timeout=100, check=False)
    return run.returncode, run.stdout.decode(), run.stderr.decode()


def objects(*args, octets=None):
    code, out, err = dump('--json', *args, octets=octets)
    return code, [json.loads(line) for line in out.splitlines()], err


def recorded():
    """Records one after another, as they are on the wire."""
    path = os.path.join(TREE, 'tests', 'data', 'stream', 'records.hex')
    with open(path, encoding='ascii') as f:
        return [bytes.fromhex(line) for line in f.read().split()]


def test_plain_records_come_from_standard_input():
    records = recorded()
    code, found, err = objects('-', octets=b''.join(records))
    check(code == 0 and not err, code, err)
    check(len(found) == len(records), len(found), len(records))
    check(found[0]['kind'] == 'batch' and found[0]['content']['values'],
          found[0])
    code, out, _ = dump('-', octets=records[0])
    check(out.startswith('samples %d batch ' % found[0]['sequence']), out)


def test_damage_is_told_with_its_place_and_passed_over():
    records = recorded()
    first, second = len(records[0]), len(records[1])
    octets = bytearray(b''.join(records))
    octets[first + 40] ^= 1
    code, found, err = objects('-', octets=bytes(octets))
    told = [o for o in found if DAMAGE in o]
    check(code == 75, code)
    check([(o['first_octet'], o['last_octet']) for o in told] ==
          [(first, first + second - 1)], told)
    check(len(found) == len(records), len(found))
    check('octets %d to %d' % (first, first + second - 1) in err, err)
    code, found, _ = objects('-', octets=b''.join(records)[:-1])
    check(code == 75 and DAMAGE in found[-1], found[-1])


def test_what_has_no_records_is_refused():
    code, _, err = dump('-', octets=b'no records at all')
    check(code == 65 and 'expected a ring' in err, code, err)
    code, out, err = dump('-', octets=b'')
    check(code == 65 and not out and 'standard input: is empty' in err, code,
          out, err)
    code, out, err = dump('-', octets=gzip.compress(b''.join(recorded())))
    check(code == 65 and not out and 'gzip -dc FILE' in err, code, out, err)
    code, _, err = dump('/nowhere/at/all')
    check(code == 66 and '/nowhere/at/all' in err, code, err)
    code, _, err = dump('--stream', 'sample', '-', octets=b'')
    check(code == 64 and 'expected findings' in err, code, err)
    code, _, err = dump('--quantity', 'nonsense', '-', octets=b'')
    check(code == 64, code, err)


def check_pace(found):
    """Each source's pace is told: nobody else could say that it stopped."""
    sources = [s for o in found if o['kind'] == 'dictionary'
               for s in o['content']['sources']]
    check(sources and all(s['interval_ns'] > 0 for s in sources), sources)


def check_cut_ring(octets):
    """What a ring's file lacks is told."""
    for at, status in ((4096, 65), (4096 + 40, 65), (4096 + 2000, 75)):
        code, found, err = objects('-', octets=octets[:at])
        check(code == status, at, code, err)
        check(found[-1][DAMAGE] == 'the file is cut short' and
              found[-1]['first_octet'] == at, at, found[-1])


def check_ring(bed):
    ring = os.path.join(bed.run_dir, 'states.ring')
    code, found, err = objects(ring)
    check(code == 0, code, err)
    check([o['sequence'] for o in found] == list(range(1, len(found) + 1)),
          [o['sequence'] for o in found])
    check(found[0]['kind'] == 'run', found[0])
    check_pace(found)
    with open(ring, 'rb') as f:
        octets = bytearray(f.read())
    check_cut_ring(bytes(octets))
    octets[4096 + 50] ^= 1      # in its first record
    code, less, err = objects('-', octets=bytes(octets))
    check(code == 75, code, err)
    check(len([o for o in less if 'kind' in o]) == len(found) - 1, len(less))
    check(less[0]['first_octet'] == 4096, less[0])
    octets[128:300] = bytes(172)        # its positions
    code, less, err = objects('-', octets=bytes(octets))
    check(code == 75 and len([o for o in less if 'kind' in o]) ==
          len(found) - 1, code, err)


def check_segments(bed):
    """What the collector's spool holds is what --print prints."""
    printed = bed.records()
    found = []
    for segment in sorted(glob.glob(os.path.join(bed.spool, '*.seg'))):
        code, some, err = objects(segment)
        check(code == 0, code, err)
        found += some
    check(len(found) == len(printed), len(found), len(printed))
    check(found == printed, 'not what --print says')
    with open(segment, 'rb') as f:      # one that holds no record yet
        code, found, err = objects('-', octets=f.read(STORE_HEADER_LEN))
    check(code == 0 and not found, code, found, err)


def check_filters(bed):
    ring = os.path.join(bed.run_dir, 'states.ring')
    code, found, _ = objects('--stream', 'samples', ring)
    check(code == 0 and not found, found)
    segment = sorted(glob.glob(os.path.join(bed.spool, '*.seg')))[0]
    _, found, _ = objects('--quantity', 'if_in_octets', '--ports',
                          'Ethernet0', segment)
    values = [v for o in found for v in o['content']['values']]
    check(values and {(v['name'], v['quantity']) for v in values} ==
          {('Ethernet0', 'if_in_octets')}, values[:3])
    _, out, _ = dump('--quantity', 'if_in_octets', '--ports', 'Ethernet0',
                     segment)
    check('\n    Ethernet0 if_in_octets[0] ' in out, out[:300])
    code, out, err = dump('--ports', 'nosuch', segment)
    check(code == 66 and not out and "no port 'nosuch' in it" in err, code,
          out, err)
    code, out, err = dump('--ports', 'Ethernet0', ring)
    check(code == 0 and not out and 'no such record about Ethernet0' in err,
          code, out, err)
    # A ring of samples has no names; the one beside it does.
    samples = os.path.join(bed.run_dir, 'samples.ring')
    _, out, _ = dump('--quantity', 'if_in_octets', '--ports', 'Ethernet0',
                     samples)
    check('\n    Ethernet0 if_in_octets[0] ' in out, out[:300])


def test_rings_and_segments_of_a_live_agent():
    scenario = os.path.join(SCENARIOS, 'healthy.scenario')
    with Bed(scenario=scenario, interval='100ms') as bed:
        bed.collector.start()
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        check(wait_for(lambda: len(bed.records(stream='samples')) > 5),
              'nothing came')
        bed.agent.stop()
        bed.collector.stop()
        check_ring(bed)
        check_segments(bed)
        check_filters(bed)


main(globals())
