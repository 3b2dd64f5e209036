#!/usr/bin/env python3
"""petreld as a service: what it tells its manager, and what it leaves.

petrel-test: sanitize
"""
import contextlib
import glob
import os
import socket
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
from agent import SCENARIOS, SLOW, Bed, Process, check, main, wait_for  # noqa: E402

HEALTHY = os.path.join(SCENARIOS, 'healthy.scenario')


class Managed(Bed):
    """An agent whose manager this test is."""

    def __init__(self, **more):
        super().__init__(collector=False, **more)
        self.told = []
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        path = os.path.join(self.dir, 'notify')
        self.manager.bind(path)
        os.chmod(path, 0o777)       # as systemd's own
        self.manager.settimeout(0.05)
        self.agent = Process(self.agent.argv, self.agent.log_path,
                             {'NOTIFY_SOCKET': path,
                              'WATCHDOG_USEC': '1000000'})

    def hear(self, word):
        """The first message with word in it, told by now or soon."""
        return wait_for(lambda: self.heard(word), 15 * SLOW)

    def heard(self, word):
        with contextlib.suppress(TimeoutError):
            while True:
                self.told.append(self.manager.recv(4096).decode())
        return next((t for t in self.told if word in t), None)

    def close(self):
        super().close()
        self.manager.close()


def test_service_is_ready_when_it_answers_and_gives_signs_of_life():
    with Managed(scenario=HEALTHY) as bed:
        bed.agent.start()
        check(bed.hear('READY=1'), bed.agent.log())
        check(bed.ask('status')[0] == 0, 'ready, and it does not answer')
        check(bed.hear('WATCHDOG=1'), bed.told)
        bed.agent.stop()
        check(bed.hear('STOPPING=1'), bed.told)


def test_service_reload_fails_with_file_and_line_and_tells_the_manager():
    with Managed(scenario=HEALTHY) as bed:
        bed.agent.start()
        check(bed.hear('READY=1'), bed.agent.log())
        check(bed.ask('reload')[0] == 0, 'a good file is refused')
        check(bed.hear('RELOADING=1'), bed.told)
        with open(bed.conf, 'a', encoding='utf-8') as f:
            f.write('intervall = 2s\n')
        lines = sum(1 for _ in open(bed.conf, encoding='utf-8'))
        code, _, err = bed.ask('reload')
        check(code != 0 and '%s:%d' % (bed.conf, lines) in err, code, err)
        check(bed.hear('petrel.conf:%d' % lines), bed.told)


def test_service_leaves_no_socket_and_keeps_its_rings():
    with Managed(scenario=HEALTHY) as bed:
        bed.agent.start()
        check(bed.hear('READY=1'), bed.agent.log())
        check(os.path.exists(bed.socket), 'no socket')
        bed.agent.stop()
        left = set(os.listdir(bed.run_dir))
        check(left >= {'findings.ring', 'samples.ring', 'states.ring'}, left)
        check('petrel.sock' not in left, left)


def test_health_is_unknown_on_a_machine_that_is_no_switch():
    with Bed(driver='auto', collector=False) as bed:
        root = os.path.join(bed.dir, 'root')
        os.makedirs(os.path.join(root, 'sys/class/net/eth0'))
        os.makedirs(os.path.join(root, 'sys/class/net/Ethernet_x'))
        bed.agent.argv[bed.agent.argv.index('--root') + 1] = root
        bed.socket = root + bed.socket
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        for of in '--links', '--agent':
            code, out, _ = bed.ask('health', of)
            check(code == 3 and 'no switch found' in out, of, code, out)
            for driver in 'sonic', 'linux', 'sim':
                check(driver + ': ' in out, 'no reason of', driver, out)


def is_a_switch():
    return glob.glob('/sys/bus/i2c/devices/*/port_name') or \
        glob.glob('/sys/class/net/Ethernet*') or \
        glob.glob('/sys/class/net/swp*') or os.path.exists('/sys/s3ip')


def test_health_takes_no_network_card_for_a_switch():
    """This kernel's own cards: they have a device, and may have modules."""
    if is_a_switch():
        return 'THIS MACHINE IS A SWITCH'
    with Bed(driver='auto', collector=False) as bed:
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        code, out, _ = bed.ask('health', '--agent')
        check(code == 3 and 'no switch found' in out and 'module: ' in out,
              code, out, bed.agent.log())
    return None


def test_health_finds_a_switch_by_its_ports():
    for sign in 'Ethernet0', 'swp12', 'eth3/phys_switch_id':
        with Bed(driver='auto', collector=False) as bed:
            root = os.path.join(bed.dir, 'root')
            net = os.path.join(root, 'sys/class/net')
            os.makedirs(os.path.join(net, os.path.dirname(sign) or sign))
            if '/' in sign:
                with open(os.path.join(net, sign), 'w',
                          encoding='ascii') as f:
                    f.write('0a1b2c\n')
            bed.agent.argv[bed.agent.argv.index('--root') + 1] = root
            bed.socket = root + bed.socket
            bed.agent.start()
            check(bed.wait_serving(), bed.agent.log())
            check(wait_for(lambda: 'driver=linux open' in bed.agent.log()),
                  sign, bed.agent.log())


if __name__ == '__main__':
    main(dict(globals()))
