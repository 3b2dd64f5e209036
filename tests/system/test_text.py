#!/usr/bin/env python3
"""C19: what strangers write into SONiC's databases is clean in all that Petrel
prints, sends and stores."""
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
from agent import SLOW, Bed, check, main, wait_for  # noqa: E402
from redis import Redis, encode  # noqa: E402
from sonic_twin import Twin  # noqa: E402

# A CSI as C1 has it, in UTF-8 and not; a direction turned; what is no UTF-8.
DIRTY = b'a\xc2\x9b31mb\x9b31mc\xe2\x80\xaed\xffe\x1b[0mf'
CLEAN = 'a?31mb?31mc?d?e?[0mf'
UNWANTED = re.compile('[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f'
                      '\u202a-\u202e\u2066-\u2069]')
FIELDS = (('APPL_DB', 'PORT_TABLE:Ethernet0', 'alias'),
          ('CONFIG_DB', 'PORT|Ethernet0', 'alias'),
          ('APPL_DB', 'PORT_TABLE:Ethernet8', 'description'),
          ('CONFIG_DB', 'DEVICE_METADATA|localhost', 'hwsku'),
          ('STATE_DB', 'TRANSCEIVER_INFO|Ethernet0', 'manufacturer'),
          ('STATE_DB', 'TRANSCEIVER_INFO|Ethernet0', 'serial'),
          ('APPL_DB', 'LLDP_ENTRY_TABLE:Ethernet0', 'lldp_rem_sys_name'),
          ('APPL_DB', 'LLDP_ENTRY_TABLE:Ethernet0', 'lldp_rem_port_id'),
          ('CONFIG_DB', 'FEATURE|x', 'state'),
          ('APPL_DB', 'PORT_TABLE:Ethernet16', 'speed'))


def dirty(redis):
    for db, key, field in FIELDS:
        client = redis.client(db)
        client.sock.sendall(encode('HSET', key, field, DIRTY))
        client.read()
        client.close()


def judge(what, octets):
    text = octets.decode('utf-8')           # or it raises
    found = UNWANTED.search(text)
    check(not found, what, repr(text[max(0, found.start() - 60):][:120])
          if found else '')
    return text


def said(bed, *words):
    code, out, err = bed.ask(*words)
    return out + err


def test_c19_dirty_names_are_clean_wherever_they_go():
    with Redis() as redis:
        twin = Twin(warts=False)
        for name in twin.db:
            redis.load(name, twin.db[name])
        dirty(redis)
        # What comes later is a change.
        client = redis.client('CONFIG_DB')
        client.ask('SET', 'CONFIG_DB_INITIALIZED', '1')
        client.close()
        with Bed(driver='sonic', root=redis.root) as bed:
            bed.collector.start()
            bed.agent.start()
            check(bed.wait_serving(), bed.agent.log())
            check(wait_for(lambda: CLEAN in said(bed, 'links', '--json') and
                           CLEAN in said(bed, 'modules', '--json'),
                           20 * SLOW, 0.2), said(bed, 'links', '--json'))
            # What is changed now makes events of it.
            client = redis.client('CONFIG_DB')
            client.sock.sendall(encode('HSET', 'FEATURE|x', 'state',
                                       DIRTY + b'\t2'))
            client.read()
            client.close()
            check(wait_for(lambda: CLEAN in said(bed, 'changes', '--json'),
                           20 * SLOW, 0.2), said(bed, 'changes'))
            for words in (('ports',), ('links',), ('modules',), ('events',),
                          ('changes',), ('findings',), ('status',),
                          ('coverage',), ('port', 'Ethernet0'), ()):
                for form in ((), ('--json',)):
                    judge((words, form), said(bed, *words, *form).encode(
                        'utf-8', 'surrogateescape'))
            check(wait_for(lambda: any(
                CLEAN in str(r) for r in bed.records(stream='states')),
                           20 * SLOW, 0.5),
                  'the collector has no such record')
            # The spool, the database and the log, octet by octet.
            check(wait_for(lambda: os.path.exists(bed.database) and any(
                CLEAN.encode() in read(p) for p in files(bed.database)),
                           20 * SLOW, 0.2), 'not in the database')
            for path in files(bed.database) + files(bed.spool):
                check(DIRTY[:8] not in read(path), path)
                check(b'\xe2\x80\xae' not in read(path), path)
            judge('the log', bed.agent.log().encode('utf-8',
                                                    'surrogateescape'))


def read(path):
    with open(path, 'rb') as f:
        return f.read()


def files(path):
    """A file with those that SQLite has beside it, or all of a folder's."""
    if os.path.isdir(path):
        return [os.path.join(path, n) for n in os.listdir(path)]
    return [path + end for end in ('', '-wal') if os.path.exists(path + end)]


if __name__ == '__main__':
    if not shutil.which('redis-server'):
        print('1..0 # SKIP NO REDIS-SERVER HERE')
        sys.exit(0)
    main(dict(globals()))
