#!/usr/bin/env python3
"""C16: the plant and the detectors share no source and no header of their own.

Reads the dependency files that the compiler wrote. What both may use: the
contracts in include/petrel (but for the plant's own), agent/base, and the
system's headers.
"""
import glob
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
BUILD = os.environ.get('PETREL_BUILD', 'build')
PLANT = 'platform/sim/'
DETECTORS = 'agent/signature/'
SHARED = ('include/petrel/', 'agent/base/')
PLANTS_OWN = 'include/petrel/plant.h'
# The driver speaks to hosts, so it knows the words of quantities and links.
# The physics must not: these are the files that plant_open() needs.
DRIVER = {'sim', 'sim_clock', 'sim_publish', 'published', 'dom'}
CONTRACTS_OF_PHYSICS = {'include/petrel/' + h for h in
                        ('plant.h', 'diag.h', 'clock.h')}
DEFINE = re.compile(r'^#define\s+(\w+)\s', re.M)


def dependencies(text):
    """Sources and headers of ours that a .d file names, after its colon."""
    rule = text.replace('\\\n', ' ').split('\n', 1)[0]
    names = rule.split(':', 1)[1].split()
    return {os.path.normpath(n) for n in names if not n.startswith('/')}


def of_folder(folder):
    found = {}
    for path in glob.glob(os.path.join(ROOT, BUILD, 'obj', folder, '*.d')):
        unit = os.path.basename(path)[:-2]
        if not os.path.exists(os.path.join(ROOT, folder, unit + '.c')):
            continue            # of a source that is gone
        with open(path, encoding='utf-8') as f:
            found[unit] = dependencies(f.read())
    return found


def is_shareable(name):
    return name.startswith(SHARED) and name != PLANTS_OWN


def violations(plant, detectors):
    """Each a sentence; none when the promise is kept."""
    told = []
    for unit, names in plant.items():
        told += ['platform/sim/%s.c needs %s' % (unit, n) for n in names
                 if n.startswith('agent/') and
                 not n.startswith('agent/base/')]
        if unit not in DRIVER:
            told += ['platform/sim/%s.c is physics and needs %s' % (unit, n)
                     for n in names if n.startswith('include/petrel/') and
                     n not in CONTRACTS_OF_PHYSICS]
    for unit, names in detectors.items():
        told += ['agent/signature/%s.c needs %s' % (unit, n) for n in names
                 if n.startswith('platform/') or n == PLANTS_OWN]
    both = set().union(*plant.values()) & set().union(*detectors.values())
    told += ['both need %s' % n for n in both if not is_shareable(n)]
    return sorted(told)


def macros_of(folder):
    names = set()
    for path in glob.glob(os.path.join(ROOT, folder, '*.[ch]')):
        with open(path, encoding='utf-8') as f:
            names.update(DEFINE.findall(f.read()))
    return names


RESULTS = []


def check(name, is_good, *why):
    RESULTS.append(is_good)
    print('%s %d - %s' % ('ok' if is_good else 'not ok', len(RESULTS), name))
    for line in why if not is_good else ():
        print('# %s' % line)


def skip(name, reason):
    RESULTS.append(True)
    print('ok %d - %s # SKIP %s' % (len(RESULTS), name, reason))


def test_guard():
    """The check itself: it must see each way to break the promise."""
    clean = {'optics': {'platform/sim/optics.c', 'include/petrel/plant.h'}}
    other = {'fec': {'agent/signature/fec.c', 'agent/signature/port.h'}}
    check('test_c16_check_passes_what_is_apart', not violations(clean, other))
    for broken, side in (('agent/signature/fec.h', clean),
                         ('include/petrel/link.h', clean),
                         ('include/petrel/plant.h', other),
                         ('platform/sim/draw.h', other)):
        unit = next(iter(side))
        changed = {unit: side[unit] | {broken}}
        told = violations(changed, other) if side is clean else \
            violations(clean, changed)
        check('test_c16_check_sees_%s_in_%s' % (os.path.basename(broken),
                                                unit), bool(told))


def main():
    plant, detectors = of_folder(PLANT), of_folder(DETECTORS)
    test_guard()
    if not plant or not detectors:
        skip('test_c16_plant_and_detectors_share_nothing',
             'one of the two is not compiled in %s' % BUILD)
    else:
        told = violations(plant, detectors)
        check('test_c16_plant_and_detectors_share_nothing', not told, *told)
    sources = {os.path.basename(p)[:-2] for p in
               glob.glob(os.path.join(ROOT, PLANT, '*.c'))}
    check('test_c16_all_of_the_plant_is_looked_at',
          not plant or sources <= set(plant), sources - set(plant))
    both = macros_of(PLANT) & macros_of(DETECTORS)
    check('test_c16_no_constant_has_a_name_in_both', not both,
          ' '.join(sorted(both)))
    print('1..%d' % len(RESULTS))
    return 0 if all(RESULTS) else 1


if __name__ == '__main__':
    sys.exit(main())
