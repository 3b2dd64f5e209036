"""Which folder may include which: dependencies point down the pipeline.

A stage knows the type that it takes and the type that it gives, both in
include/petrel or in its own header; only agent/process wires stages.
"""
import os

# Whoever may include it, with the reason; all may include their own folder,
# petrel/ (the contracts) and the system's headers.
BASE = 'agent/base/'        # loop, number, ring: below all stages
DRIVER = 'platform/driver.h'    # what all drivers begin with
LAYERS = (
    # folder or file,       may include besides
    ('include/petrel/',     ()),                # contracts stand alone
    ('platform/registry.',  (BASE, 'platform/')),   # the list of drivers
    ('platform/module/',    (BASE,)),           # register tables
    # The ways to a module, one of them by a socket of platform/linux.
    ('platform/bus/',       (BASE, DRIVER, 'platform/module/',
                             'platform/linux/netlink.h',
                             'platform/linux/ethtool_message.h')),
    ('platform/linux/',     (BASE, DRIVER, 'platform/module/')),
    # A connection knows where its database is, and no more of SONiC.
    ('platform/sonic/redis/', (BASE, 'platform/sonic/switchdb/database.h')),
    ('platform/sonic/hft/', (BASE, 'platform/sonic/meaning/',
                             'platform/sonic/switchdb/',
                             'platform/linux/netlink.h')),
    ('platform/sonic/',     (BASE, DRIVER, 'platform/sonic/',
                             'platform/module/',
                             'platform/linux/netlink.h')),
    ('platform/sim/eeprom', ()),                # no word of the decoders
    # No word of the detectors. What modules say goes through the decoders.
    ('platform/sim/',       (BASE, DRIVER, 'platform/module/',
                             'platform/bus/')),
    # SONiC's tables of a plant, and its modules' memory. Of the driver only how
    # a command is written, and no table.
    ('platform/vswitch/',   (BASE, 'platform/sim/eeprom.h',
                             'platform/sim/published.h',
                             'platform/sonic/redis/resp.h')),
    ('platform/',           (BASE,)),
    ('agent/base/',         ()),
    # Keys and addresses are judged where they are written.
    ('agent/config/',       (BASE, 'agent/seal/keys.h',
                             'agent/http/http_place.h')),
    ('agent/seal/',         (BASE,)),
    ('agent/sample/',       (BASE,)),
    # What state gives is what signatures take, and that is theirs to say.
    ('agent/state/',        (BASE, 'agent/signature/port.h',
                             'agent/signature/sensor.h')),
    ('agent/signature/',    (BASE,)),           # replay links it without state
    ('agent/record/',       (BASE, 'record.pb-c.h')),
    ('agent/spool/',        (BASE,)),
    # gap_encode(): a gap record stands where a record would.
    # The coarser tiers are records in files.
    ('agent/history/',      (BASE, 'agent/record/', 'agent/spool/disk.h')),
    ('agent/push/',         (BASE, 'agent/record/encode.h', 'agent/spool/',
                             'agent/seal/initiator.h')),
    # Answers are made from what the stages of the core hold: it looks at
    # them, and nothing but process looks at it.
    ('agent/query/',        (BASE, 'local.pb-c.h', 'agent/state/',
                             'agent/signature/port.h',
                             'agent/signature/sensor.h',
                             'agent/signature/engine.h',
                             'agent/signature/benign.h', 'agent/record/',
                             'agent/process/control.h')),
    # petrel: replay is the agent's own detectors over decoded records; with
    # the agent down, the same answers are made from a state read off the rings.
    ('agent/ctl/',          (BASE, 'local.pb-c.h', 'agent/record/',
                             'agent/signature/', 'agent/config/',
                             'agent/query/', 'agent/seal/keys.h',
                             'agent/state/history.h', 'agent/history/',
                             'agent/state/port_reading.h',
                             'agent/spool/disk.h',
                             'agent/state/state.h',
                             'platform/module/',    # petrel decode
                             # petrel dump: files that others write
                             'agent/spool/segment.h',
                             'agent/collect/entry.h',
                             'agent/collect/follow.h',
                             'agent/collect/print.h')),
    # The collector is a program of its own: its stages are its business.
    ('agent/http/',         (BASE,)),
    # Its answers are those of a switch, from a state read off the spool.
    ('agent/collect/',      (BASE, 'agent/record/', 'agent/config/',
                             'agent/spool/', 'agent/push/transport.h',
                             'agent/seal/', 'agent/http/', 'agent/query/',
                             'agent/state/', 'local.pb-c.h',
                             'agent/history/tier_fold.h',
                             'agent/ctl/render.h', 'agent/ctl/screen.h')),
    ('agent/process/',      ('agent/', 'platform/', 'local.pb-c.h')),
    ('agent/main.c',        (BASE, 'agent/process/', 'agent/config/',
                             'platform/registry.h')),
)


def layer_of(path):
    for prefix, allowed in LAYERS:
        if path.startswith(prefix):
            return prefix, allowed
    return None, ()


def is_allowed(path, name):
    prefix, allowed = layer_of(path)
    own = os.path.dirname(path) + '/'
    return (name.startswith('petrel/') or name.startswith(own) or
            any(name.startswith(a) for a in allowed))


def violations(sources):
    found = []
    for s in sources:
        if layer_of(s.path)[0] is None:
            found.append('%s: in no layer of tests/style/layers.py' % s.path)
        for name, is_system in s.includes:
            if not is_system and not is_allowed(s.path, name):
                found.append('%s may not include %s' % (s.path, name))
    return found
