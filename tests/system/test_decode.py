#!/usr/bin/env python3
"""petrel decode on modules made here, in each form in which a module's memory
comes; and, where PETREL_SHARED has them, on real modules with what another
reader made of each.

petrel-test: sanitize
petrel-test: timeout=100
"""
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
from agent import check                                 # noqa: E402
import module_hex                                       # noqa: E402

SHARED = os.environ.get('PETREL_SHARED', os.path.join(agent.TREE, '../shared'))
IMAGES = os.path.join(SHARED, 'data', 'eeprom')
OTHERS = os.path.join(SHARED, 'data', 'eeprom_other')
EDGES = ('high_alarm', 'low_alarm', 'high_warning', 'low_warning')


def decode(*args, data=None):
    return subprocess.run([agent.program('petrel'), 'decode', *args],
                          input=data, capture_output=True, timeout=30,
                          check=False)


def told(*args, data=None, code=0):
    """The JSON object of one file."""
    ran = decode('--json', *args, data=data)
    check(ran.returncode == code, ran.returncode, ran.stderr)
    answer = json.loads(ran.stdout)
    check(not agent.without_twin(answer), agent.without_twin(answer))
    return answer


def what(answer):
    """All but what differs from one call to the next."""
    return {k: v for k, v in answer.items() if k not in ('time', 'file')}


# --- forms of a file ---------------------------------------------------------

def test_decode_takes_blocks_of_hex():
    answer = told('-', data=module_hex.blocks(module_hex.cmis()))
    check(answer['schema'] == 'petrel/decode/1' and answer['complete'])
    check(answer['identity']['vendor'] == 'PETREL WORKS')
    check(answer['identity']['date_code'] == '250831')
    check(answer['module']['module_temp_mc'] == 45500, answer['module'])
    lane = answer['lanes'][2]
    check(lane['lane'] == 3 and lane['lane_rx_power_pw'] == 800200000, lane)
    check(abs(lane['lane_rx_power_dbm'] + 0.96801) < 1e-4, lane)
    check(lane['lane_rx_power_mw'] == 0.8002, lane)
    check(lane['lane_data_path_state_word'] == 'DataPathActivated', lane)
    check(lane['lane_pre_fec_ber_e18'] == 302000000, lane)
    check(not answer['implausible'], answer['implausible'])


def test_decode_takes_each_form_of_the_same_memory():
    for pages in (module_hex.cmis(), module_hex.sfp(), module_hex.qsfp()):
        want = what(told('-', data=module_hex.blocks(pages)))
        for form in (module_hex.raw, module_hex.ethtool_hex,
                     module_hex.hexdump, module_hex.hexdump_words,
                     module_hex.od, module_hex.od_words,
                     module_hex.xxd, module_hex.xxd_plain,
                     module_hex.xxd_reversed, module_hex.xxd_decimal,
                     module_hex.xxd_list,
                     module_hex.kernel_log, module_hex.sfputil):
            got = what(told('-', data=form(pages)))
            check(got == want, form.__name__, got, want)


def test_decode_takes_a_whole_file_of_optoe():
    """32,896 octets, what `cat eeprom` gives of a QSFP and a CMIS module;
    131,200 of one with four banks."""
    for pages, banks in ((module_hex.cmis(), 1), (module_hex.qsfp(), 1),
                         (module_hex.cmis(banks=4), 4)):
        want = what(told('-', data=module_hex.blocks(pages)))
        whole = module_hex.whole(pages, banks)
        raw = module_hex.raw(whole)
        check(len(raw) == 128 + banks * 32768, len(raw))
        check(what(told('-', data=raw)) == want)
        for form in (module_hex.blocks, module_hex.hexdump, module_hex.od,
                     module_hex.xxd, module_hex.xxd_plain):
            got = what(told('-', data=form(whole)))
            check(got == want, form.__name__, got, want)


def test_decode_says_which_lanes_it_does_not_show():
    pages = module_hex.more_banks(module_hex.cmis(banks=4), 6)
    raw = module_hex.raw(module_hex.whole(pages, 6))
    check(len(raw) == 128 + 6 * 32768)
    for data in (raw, module_hex.blocks(pages)):
        answer = told('-', data=data, code=75)
        check(answer['module']['module_banks_unread'] == 2, answer['module'])
        check(len(answer['lanes']) == 32 and not answer['complete'], answer)
        ran = decode('-', data=data)
        check(b'\nnot shown:     lanes 33-48\n' in ran.stdout, ran.stdout)
        check(b'lanes 33 to 48 are not shown: Petrel reads 4 of its 6 banks'
              in ran.stderr, ran.stderr)
    check('module_banks_unread' not in told('-', data=module_hex.blocks(
        module_hex.more_banks(module_hex.cmis(banks=4), 4)))['module'])


def test_decode_tells_the_images_that_cdb_left_an_answer_of():
    pages = module_hex.cdb(module_hex.cmis())
    answer = told('-', data=module_hex.raw(module_hex.whole(pages)))
    image = answer['firmware_images']
    check([x['version'] for x in image] == ['2.11.3', '2.10.300', '1.0.7'],
          image)
    check([x['image'] for x in image] == ['A', 'B', 'factory'], image)
    check([x['running'] for x in image] == [True, False, False], image)
    check([x['committed'] for x in image] == [True, False, False], image)
    check('firmware_images' not in answer['unread'], answer['unread'])
    text = decode('-', data=module_hex.blocks(pages)).stdout.decode()
    check('\nimages:       A 2.11.3 running committed, B 2.10.300, factory '
          '1.0.7\n' in text, text)
    pages = module_hex.cdb(module_hex.cmis(), state=0x43)
    answer = told('-', data=module_hex.blocks(pages))
    image = answer['firmware_images'][1]
    check(image['empty'] and image['version'] is None, image)
    check(answer['identity']['firmware_images'] ==
          'A 2.11.3 running committed, B empty, factory 1.0.7')
    pages.put(0, 0x9f, 129, b'\x41')    # another command's
    answer = told('-', data=module_hex.blocks(pages))
    check(not answer['firmware_images'], answer['firmware_images'])
    check('firmware_images' in answer['unread'], answer['unread'])
    check('firmware_images' not in answer['identity'], answer['identity'])
    text = decode('-', data=module_hex.blocks(pages)).stdout.decode()
    check('firmware images' in text.split('not in file')[1], text)


def test_decode_says_what_is_not_as_the_host_wants_it():
    pages = module_hex.cmis()
    pages.put(0, 0x11, 202, b'\x31')
    pages.put(0, 0x10, 130, b'\x04')
    pages.put(0, 0x10, 145, b'\x20' * 8)
    pages.put(0, 0x11, 164, b'\0' * 4)
    answer = told('-', data=module_hex.blocks(pages))
    what_of = {}
    for x in answer['noticed']:
        what_of.setdefault(x['lane'], []).append(x['what'])
    check(what_of[2] == ['configuration rejected: '
                         'ConfigRejectedInvalidAppSel',
                         'application 2 is staged, 1 is active'], what_of)
    check(what_of[3][0] == 'sends 0.8 dBm with Tx disabled', what_of)
    check(what_of[6] == ['application 2 is staged, 1 is active'], what_of)
    text = decode('-', data=module_hex.blocks(pages)).stdout.decode()
    check(re.search(r'^lane 2 +configuration rejected', text, re.M), text)


def test_decode_shows_what_its_file_does_not_advertise():
    """Without page 01h: values with a mark, where they mean but one thing."""
    pages = {at: x for at, x in module_hex.cmis().items() if at[1] != 1}
    answer = told('-', data=module_hex.blocks(pages))
    check(answer['lanes'][2]['lane_rx_power_quality'] == 'estimated')
    check('lane_rx_power_pw' not in answer['unread'], answer['unread'])
    check('module_laser_temp_mc' in answer['untold'], answer['untold'])
    text = decode('-', data=module_hex.blocks(pages)).stdout.decode()
    check('-1.0?' in text and 'support unknown: ' in text, text)
    check('\n?: what says that the module has it is missing' in text, text)
    check('not in file' not in text, text)


def test_decode_explains_each_mark_and_no_other():
    pages = module_hex.qsfp()
    pages.put(0, module_hex.LOWER, 2, b'\x01')     # data is not ready
    text = decode('-', data=module_hex.blocks(pages)).stdout.decode()
    notes = re.findall(r'^[?]: .*', text, re.M)
    check(notes == ['?: the module says that its values are not ready'], text)
    check(re.search(r'^temperature °C +31[.]2[?] ', text, re.M), text)
    pages = module_hex.cmis()
    pages.put(0, 0x01, 155, b'\x42')               # its laser is tunable
    pages.put(0, 0x04, 128, b'\x90\x80')           # by a page in doubt
    pages.put(0, 0x12, 152, b'\x00\x01')
    pages.put(0, 0x12, 128, b'\x71')
    pages.seal(0, 0x01, 130, 254, 255)
    text = decode('-', data=module_hex.blocks(pages)).stdout.decode()
    check('?' not in text, text)
    lane = told('-', data=module_hex.blocks(pages))['lanes'][0]
    check(lane['lane_fine_tuning_on_quality'] == 'estimated', lane)
    check(lane['lane_fine_tuning_quality'] == 'estimated', lane)
    check('lane_laser_grid_quality' not in lane, lane)


def test_decode_shows_each_port_of_a_tech_support_file():
    parts = [module_hex.sfputil(x).replace(b'port Ethernet0', port)
             for x, port in ((module_hex.cmis(), b'port Ethernet0'),
                             (module_hex.qsfp(), b'port Ethernet8 page 0h'),
                             (module_hex.sfp(), b'module 3'))]
    ran = decode('--json', '-', data=b'\n'.join(parts))
    lines = [json.loads(x) for x in ran.stdout.splitlines()]
    check(ran.returncode == 0, ran.returncode, ran.stderr)
    check([x['file'] for x in lines] == [
        '-, port Ethernet0', '-, port Ethernet8', '-, module 3'], lines)
    check([what(x) for x in lines] == [
        what(told('-', data=module_hex.blocks(x)))
        for x in (module_hex.cmis(), module_hex.qsfp(), module_hex.sfp())])


def test_decode_says_which_ports_of_a_file_have_no_module():
    full = module_hex.sfputil(module_hex.qsfp())
    cages = (b'\nEEPROM hexdump for port Ethernet4\n'
             b'        SFP EEPROM not detected\n\n'
             b'EEPROM hexdump for port Ethernet8\n        Ethernet8: SFP '
             b'EEPROM Hexdump is not applicable for RJ45 port\n\n'
             b'EEPROM hexdump for port Ethernet12\n'
             b'        Error: Failed to read EEPROM for offset 0!\n')
    ran = decode('-', data=full + cages)
    check(ran.returncode == 65, ran.returncode)
    check([x.split(b', ')[1].split(b';')[0] for x in ran.stderr.splitlines()]
          == [b'port Ethernet4: no module is plugged in',
              b'port Ethernet8: it has no module: RJ45',
              b'port Ethernet12: holds no octets'], ran.stderr)


def test_decode_takes_text_as_powershell_writes_it():
    text = module_hex.ethtool_hex(module_hex.qsfp())
    wide = text.decode().replace('\n', '\r\n').encode('utf-16')
    check(wide[:2] == b'\xff\xfe')
    check(what(told('-', data=wide)) == what(told('-', data=text)))
    check(what(told('-', data=b'\xef\xbb\xbf' + text)) ==
          what(told('-', data=text)))
    ran = decode('-', data=b'\xff\xfe')
    check(ran.returncode == 65 and b'is empty' in ran.stderr, ran.stderr)


def test_decode_shows_each_port_that_a_command_names():
    """A session in which somebody dumped one port after the other."""
    def page(port, offset, number, octets):
        where = f'page {number} bank 0 offset 0x{offset:02x} length 0x80'
        lines = ''.join(f'0x{offset + at:04x}:\t\t' +
                        octets[at:at + 16].hex(' ') + '\n'
                        for at in range(0, 128, 16))
        return (f'root@leaf01:~# ethtool -m {port} hex on {where}\n'
                f'Offset\t\tValues\n------\t\t------\n{lines}').encode()

    raw = module_hex.raw(module_hex.cmis())
    cmis = b''.join(page('swp1', 0 if half == 0 else 0x80,
                         max(half - 1, 0), raw[half * 128:half * 128 + 128])
                    for half in (0, 1, 2, 3, 0x11, 0x12))
    sfp = module_hex.raw(module_hex.sfp()).hex(' ').encode()
    ran = decode('--json', '-', data=cmis + b'$ ethtool -m swp33 hex on\n' +
                 sfp + b'\nroot@leaf01:~# \n')
    lines = [json.loads(x) for x in ran.stdout.splitlines()]
    check(ran.returncode == 0, ran.returncode, ran.stderr)
    check([x['file'] for x in lines] == ['-, port swp1', '-, port swp33'])
    check(lines[0]['lanes'][2]['lane_rx_power_pw'] == 800200000, lines[0])
    check(lines[0]['module']['module_temp_threshold'], lines[0])
    check(what(lines[1]) == what(told('-', data=module_hex.blocks(
        module_hex.sfp()))))


def test_decode_joins_the_pages_of_a_port():
    """sfputil shows page 00h before each page that is asked for."""
    pages = module_hex.qsfp()
    dump = b''
    for page in (0, 3):
        some = {at: half for at, half in pages.items()
                if at[1] in (module_hex.LOWER, 0, page)}
        dump += module_hex.sfputil(some).replace(
            b'port Ethernet0', b'port Ethernet8 page %xh' % page)
    check(what(told('-', data=dump)) ==
          what(told('-', data=module_hex.blocks(pages))))
    ran = decode('--json', '-', data=dump + b'EEPROM hexdump for port '
                 b'Ethernet16\nSFP EEPROM not detected\n')
    check(ran.returncode == 65 and
          b'-, port Ethernet16: no module is plugged in' in ran.stderr,
          ran.stderr)
    check(json.loads(ran.stdout.splitlines()[0])['complete'], ran.stdout)


def test_decode_takes_banks_in_optoe_layout():
    pages = module_hex.cmis(banks=4)
    raw = told('-', data=module_hex.raw(pages))
    check(len(raw['lanes']) == 32, len(raw['lanes']))
    check(raw['lanes'][31]['lane_rx_power_pw'] == 830700000)
    check(what(told('-', data=module_hex.blocks(pages))) == what(raw))


def test_decode_takes_what_ethtool_writes_of_an_sfp():
    """512 octets, A0h and A2h; 256 where it has no diagnostics."""
    raw = module_hex.raw(module_hex.sfp())
    check(len(raw) == 512)
    check(told('-', data=raw)['module']['module_temp_mc'] == 27500)
    short = told('-', data=raw[:256])
    check('module_temp_mc' not in short['module'])
    check('module_temp_mc' in short['unread'], short['unread'])
    check(short['identity']['vendor'] == 'PETREL WORKS')


def test_decode_takes_several_files():
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for i, pages in enumerate((module_hex.cmis(), module_hex.sfp())):
            names.append(os.path.join(folder, '%d.hex' % i))
            with open(names[-1], 'wb') as f:
                f.write(module_hex.blocks(pages))
        ran = decode('--json', *names)
        lines = [json.loads(x) for x in ran.stdout.splitlines()]
        check([x['file'] for x in lines] == names)
        check([x['identity']['form_factor'] for x in lines] ==
              ['OSFP', 'SFP'])
        ran = decode('--json', names[0], os.path.join(folder, 'none'),
                     names[1])
        lines = [json.loads(x) for x in ran.stdout.splitlines()]
        check(ran.returncode == 66)
        check([x['code'] for x in lines] == [0, 66, 0], lines)
        check(b'none: No such file' in ran.stderr, ran.stderr)


def test_decode_speaks_to_people():
    text = decode('-', data=module_hex.blocks(module_hex.cmis())) \
        .stdout.decode()
    for words in ('OSFP, DR8, optics, CMIS 5.0', 'PETREL WORKS',
                  '800GAUI-8-S to 800GBASE-DR8', 'ModuleReady',
                  'temperature °C   45.5      24.5',
                  'tx disabled', 'rx power low alarm'):
        check(words in text, words, text)
    lane = [x for x in text.splitlines() if x.startswith('   3 ')][0]
    check(lane.split() == ['3', '-1.0', '0.8002', '6.5', '0.8', '1.2002',
                           '3.2', '80.0', '40.0', 'Activated'], lane)
    check(max(len(x) for x in text.splitlines()) <= 80)


def test_decode_shows_people_all_applications():
    pages = module_hex.cmis()
    one = b'\x52\xc9\x88\x01'		# with a medium of the vendor's
    pages.put(0, module_hex.LOWER, 86, one * 8)
    pages.put(0, 0x01, 223, one * 7)
    pages.seal(0, 1, 130, 254, 255)
    text = decode('-', data=module_hex.blocks(pages)).stdout.decode()
    line = re.search(r'^applications: +(.*?)\n(?=\w)', text, re.M | re.S)
    shown = ' '.join(line.group(1).split()).split(', ')
    check(shown == ["800GAUI-8-L to vendor's own (c9h)"] * 15, text)


def test_decode_shows_people_which_application_is_configured():
    """Only where there are several; and two digits of a ratio that is counted
    for few data paths."""
    pages = module_hex.cmis()
    pages.put(0, module_hex.LOWER, 90, b'\xff')
    text = decode('-', data=module_hex.blocks(pages)).stdout.decode()
    check('configured:' not in text, text)
    pages.put(0, module_hex.LOWER, 90, bytes((0x4f, 0x1c, 0x44, 0x11)))
    pages.put(0, 0x11, 206, b'\x20' * 4 + b'\x28' * 2 + b'\x30\x00')
    text = decode('-', data=module_hex.blocks(pages)).stdout.decode()
    line = re.search(r'^configured: +(.*?)\n(?=\w|\n)', text, re.M | re.S)
    check(' '.join(line.group(1).split()) ==
          '400GAUI-4-S to 400GBASE-DR4 on lanes 1-6; application 3, which it '
          'does not offer on lane 7', text)
    pages = module_hex.cmis()
    pages.put(0, 0x20, 144, bytes(16))
    pages.put(0, 0x20, 144, b'\x10\x0f')
    text = decode('-', data=module_hex.blocks(pages)).stdout.decode()
    check(re.search(r'^VDM BY DATA PATH +1\npre_fec_ber +3[.]0e-10$', text,
                    re.M), text)


def test_decode_raises_states_that_stop_a_lane():
    """Settings that wait for the data path; a CDR of an SFP without lock."""
    pages = module_hex.cmis()
    pages.put(0, 0x11, 235, b'\x60')
    text = decode('-', data=module_hex.blocks(pages)).stdout.decode()
    check(re.search('^lanes 6-7 +data path init pending$', text, re.M), text)
    pages = module_hex.sfp()
    pages.put(1, module_hex.LOWER, 119, b'\x03')
    text = decode('-', data=module_hex.blocks(pages)).stdout.decode()
    check('unlocked' not in text, text)
    pages.put(0, module_hex.LOWER, 64, b'\x08')
    pages.seal(0, module_hex.LOWER, 64, 94, 95)
    text = decode('-', data=module_hex.blocks(pages)).stdout.decode()
    check('host cdr unlocked, rx cdr unlocked' in text, text)


def test_decode_tells_what_power_a_module_may_draw():
    """By its class, unless it says so itself; and whether it may."""
    def power(pages):
        text = decode('-', data=module_hex.blocks(pages)).stdout.decode()
        return re.search(r'^power: +(.*)$', text, re.M).group(1)

    qsfp = module_hex.qsfp()
    check(power(qsfp) == 'class 5, up to 4.00 W, not enabled', power(qsfp))
    qsfp.put(0, module_hex.LOWER, 93, b'\x04')
    check(power(qsfp) == 'class 5, up to 4.00 W', power(qsfp))
    qsfp.put(0, module_hex.LOWER, 107, b'\x2c')
    check(power(qsfp) == 'class 5, up to 4.40 W', power(qsfp))
    qsfp.put(0, module_hex.LOWER, 107, b'\0')
    qsfp.put(0, 0x00, 129, b'\x20')
    qsfp.seal(0, 0x00, 128, 190, 191)
    check(power(qsfp) == 'class 8, not enabled', power(qsfp))
    sfp = module_hex.sfp()
    check(power(sfp) == 'level 1, up to 1.00 W', power(sfp))
    sfp.put(0, module_hex.LOWER, 64, b'\x02')
    sfp.put(1, module_hex.LOWER, 118, b'\x03')
    sfp.seal(0, module_hex.LOWER, 64, 94, 95)
    check(power(sfp) == 'level 2, up to 1.50 W', power(sfp))
    check(power(module_hex.cmis()) == 'class 8, up to 16.00 W')


def test_decode_marks_what_is_beyond_its_limit():
    """By a mark in its row, and lanes with the same flags on one line."""
    pages = module_hex.cmis()
    pages.put16(0, 0x11, 186, 0, 114)	# Rx: dark, and -19.4 dBm
    pages.put(0, 0x11, 147, b'\x0f')	# Rx LOS of lanes 1 to 4
    pages.put(0, 0x11, 150, b'\x00')
    text = decode('-', data=module_hex.blocks(pages)).stdout.decode()
    lanes = {x.split()[0]: x.split() for x in text.splitlines()
             if re.match(r' {3}[0-9] ', x)}
    check(lanes['1'][1:4] == ['dark', '0.0000', '!'], lanes['1'])
    check(lanes['2'][1:4] == ['-19.4', '0.0114', '-11!'], lanes['2'])
    check('!' not in ''.join(lanes['3']), lanes['3'])
    check('!: beyond it' in text, text)
    check(re.search(r'^lanes 1-4 +rx los$', text, re.M), text)
    check(max(len(x) for x in text.splitlines()) <= 80)


def test_decode_takes_all_that_are_laid_out_as_an_sfp_or_a_qsfp():
    """GBIC and soldered ones; microQSFP; in every form."""
    for make, identifier, name in (
            (module_hex.sfp, 1, 'GBIC'), (module_hex.sfp, 2, 'soldered'),
            (module_hex.qsfp, 0x17, 'microQSFP')):
        pages = make()
        pages.put(0, module_hex.LOWER, 0, bytes([identifier]))
        if make == module_hex.sfp:
            pages.seal(0, module_hex.LOWER, 0, 62, 63)
        for form in (module_hex.blocks, module_hex.raw,
                     module_hex.ethtool_hex, module_hex.xxd):
            answer = told('-', data=form(pages))
            check(answer['identity']['form_factor'] == name,
                  form.__name__, answer['identity'])
            check(answer['lanes'][0]['lane_rx_power_pw'] > 1e8,
                  form.__name__, identifier)
    text = decode('-', data=module_hex.blocks(module_hex.sfp())).stdout
    check(b'frequency' not in text, text)	# not even as not supported
    pages = module_hex.sfp()			# one address after the other
    pages.put(0, module_hex.LOWER, 0, b'\x02')
    pages.seal(0, module_hex.LOWER, 0, 62, 63)
    octets = module_hex.raw(pages)
    both = ''.join('%04x: %s\n' % (at % 256, octets[at:at + 16].hex(' '))
                   for at in range(0, 512, 16)).encode()
    check(told('-', data=both)['lanes'] ==
          told('-', data=module_hex.raw(pages))['lanes'])
    pages = module_hex.qsfp()
    for identifier in (0, 6, 0x0e, 0x12, 0x1d, 0x26, 0xff):
        pages.put(0, module_hex.LOWER, 0, bytes([identifier]))
        ran = decode('-', data=module_hex.blocks(pages))
        check(ran.returncode == 65 and
              b'0x%02x; expected SFP (0x01 to 0x03, 0x0b)' % identifier in
              ran.stderr, ran)


def test_decode_tells_the_flags_of_a_coherent_module_once():
    pages = module_hex.cmis()
    pages.put(0, 0x00, 210, b'\xfe')
    pages.put(0, 0x00, 212, b'\x10')		# a tunable laser
    pages.put(0, 0x01, 155, b'\x42')
    pages.put(0, 0x12, 222, b'\x01')
    pages.put(0, 0x12, 231, b'\x02')		# the same, latched
    pages.put(0, 0x33, 128, b'\x08\x00\xc0')
    pages.seal(0, 0x00, 128, 221, 222)
    pages.seal(0, 0x01, 130, 254, 255)
    text = decode('-', data=module_hex.blocks(pages)).stdout.decode()
    words = ' '.join(text.split('FLAGS OF')[1].split())
    check(words.startswith(
        'RAISED lane 1 wavelength unlocked, tx coherent clock multiplier '
        'unlocked, rx coherent loss of multiframe, rx coherent loss of '
        'frame'), words)


def test_decode_of_a_flat_module_wants_no_pages():
    for pages, flat in ((module_hex.cmis(), b'\x80'),
                        (module_hex.qsfp(), b'\x06')):
        answer = told('-', data=module_hex.blocks(pages))
        check('lane_rx_power_pw' not in answer['unsupported'], answer)
        pages.put(0, module_hex.LOWER, 2, flat)
        for key in [key for key in pages if key[1] not in
                    (0, module_hex.LOWER)]:
            del pages[key]
        answer = told('-', data=module_hex.blocks(pages))
        check(not answer['unread'] and not answer['untold'], answer)
        check('module_rx_power_threshold_pw' in answer['unsupported'], answer)


def test_decode_of_copper_tells_the_states_of_its_lanes_once():
    pages = module_hex.cmis()
    pages.put(0, module_hex.LOWER, 85, b'\x04')	# an active cable
    pages.put(0, 0x00, 212, b'\x0c')
    pages.put(0, 0x01, 160, b'\x00\x00')	# that measures nothing
    pages.put(0, 0x11, 128, b'\x44\x44\x11\x44')
    pages.seal(0, 0x00, 128, 221, 222)
    pages.seal(0, 0x01, 130, 254, 255)
    text = decode('-', data=module_hex.blocks(pages)).stdout.decode()
    check('\ndata path:    Activated on lanes 1-4,7-8; Deactivated on '
          'lanes 5-6\n' in text, text)
    check('LANE  RX dBm' not in text, text)
    check(re.search(r'^not supported: .*tx bias', text, re.M), text)


def test_decode_shows_the_data_path_behind_a_lane():
    """Two of 200GAUI-4 to two media lanes each; a row of media is as far as
    the worst of its host lanes, which have a line of their own."""
    pages = module_hex.cmis()
    pages.put(0, module_hex.LOWER, 86, b'\x0f\x18\x42\x11\xff')
    pages.put(0, 0x00, 210, b'\xf0')
    pages.put(0, 0x01, 176, b'\x05')
    pages.put(0, 0x11, 206, b'\x10' * 4 + b'\x18' * 4)
    pages.put(0, 0x11, 128, b'\x44\x44\x44\x54')
    pages.seal(0, 0x00, 128, 221, 222)
    pages.seal(0, 0x01, 130, 254, 255)
    text = decode('-', data=module_hex.blocks(pages)).stdout.decode()
    lanes = {x.split()[0]: x.split()[-1] for x in text.splitlines()
             if re.match(r' {3}[0-9] ', x)}
    check(lanes == {'1': 'Activated', '2': 'Activated', '3': 'TxTurnOn',
                    '4': 'TxTurnOn'}, lanes)
    check('\ndata path:    Activated on lanes 1-7; TxTurnOn on lane 8\n'
          in text, text)
    lanes = told('-', data=module_hex.blocks(pages))['lanes']
    check([x.get('lane_host_lanes_bits_set') for x in lanes] ==
          [0x0f, 0x0f, 0xf0, 0xf0] + [None] * 4, lanes)
    check(lanes[7]['lane_data_path_state_word'] == 'DataPathTxTurnOn')


def test_decode_tells_how_a_laser_is_tuned():
    pages = module_hex.cmis()
    pages.put(0, 0x00, 210, b'\xfe')
    pages.put(0, 0x01, 155, b'\x42')
    pages.put(0, 0x04, 128, b'\x90\x80')	# 75 and 50 GHz, fine
    pages.put16(0, 0x04, 146, 0xffc4, 60)
    pages.put16(0, 0x04, 158, 0xffb8, 120)
    pages.put(0, 0x04, 196, b'\x80')
    pages.put(0, 0x12, 128, b'\x71')
    pages.put16(0, 0x12, 136, 6)
    pages.put16(0, 0x12, 152, 0xfb1e)
    pages.put16(0, 0x12, 168, 193248750 >> 16, 193248750 & 0xffff)
    pages.put16(0, 0x12, 200, 0xfed4)
    for page, first in ((0, 128), (1, 130), (4, 128)):
        pages.seal(0, page, first, 221 if page == 0 else 254,
                   222 if page == 0 else 255)
    text = decode('-', data=module_hex.blocks(pages)).stdout.decode()
    line = re.search(r'^laser: +(.*?)\n(?=\w)', text, re.M | re.S).group(1)
    check(' '.join(line.split()) == '190100 to 196100 GHz in steps of 50 GHz, '
          '75 GHz', text)
    line = re.search(r'^tuning: +(.*?)\n(?=\w|\n)', text, re.M | re.S).group(1)
    check(' '.join(line.split()) == 'lane 1: channel 6 of 75 GHz by -1.25 GHz '
          'at 193250 GHz, now 193248.75 GHz, power -3.00 dBm', text)
    answer = told('-', data=module_hex.blocks(pages))
    check(answer['module']['module_laser_grid_supported']['75_ghz'])
    check(not answer['module']['module_laser_grid_supported']['100_ghz'])
    check(answer['lanes'][0]['lane_laser_grid_mhz'] == 75000)
    check(answer['lanes'][0]['lane_laser_channel'] == 6)
    pages.put(0, 0x12, 128, b'\x70')	# an offset that is not used
    text = decode('-', data=module_hex.blocks(pages)).stdout.decode()
    check('by -1.25' not in text and 'power -3' in text, text)
    pages.put(0, 0x12, 128, b'\x71')
    pages.put(0, 0x04, 129, b'\0')
    pages.put(0, 0x04, 196, b'\0')
    pages.seal(0, 0x04, 128, 254, 255)
    text = decode('-', data=module_hex.blocks(pages)).stdout.decode()
    check('by -1.25' not in text and 'power -3' not in text, text)


# --- bad input ---------------------------------------------------------------

def test_decode_shows_a_fault_that_the_standard_has_no_word_for():
    for code, words in ((2, 'Data memory corrupted'), (7, 'code 7'),
                        (40, "code 40, the vendor's own"), (64, 'code 64')):
        pages = module_hex.cmis()
        lower = bytearray(module_hex.raw(pages)[:128])
        lower[3], lower[41] = 0x0a, code
        ran = decode('-', data=bytes(lower) + module_hex.raw(pages)[128:])
        lines = [x.split(None, 1) for x in ran.stdout.decode().splitlines()]
        check(['state:', 'ModuleFault'] in lines, ran.stdout)
        check(['fault:', words] in lines, words, ran.stdout)


def test_decode_says_what_is_wrong_with_a_file():
    good = module_hex.blocks(module_hex.cmis())
    for data, words in (
            (b'', b'is empty; expected at least the 128 octets'),
            (b'\x42' + bytes(255), b'type 00h:0 is 0x42; expected SFP'),
            (b'what is this\n', b'holds no octets; expected hex in blocks'),
            (b'19 40 what\n', b"line 1: 'what' is not an octet"),
            (gzip.compress(good), b'compressed by gzip; expected a module'),
            (good.replace(b'[page 11]', b'[pagh 11]'),
             b"'[pagh 11]' is not the head of a block; expected [lower]"),
            (good.replace(b'[page 02]', b'[page 11]'), b'is there twice'),
            (good + b'80: 00\n', b'at most 128 in all'),
            (b'[lower]\n00: 19 4\n', b"line 2: '4' is not an octet"),
            (bytes([0x19]) + bytes(300 * 1024), b"a module's memory has at"),
            (bytes(9 << 20), b'is larger than the memory of all modules'),
            (b'0000: 19 40\n0020: 00\n', b'its address is 0x20, but 0x2')):
        ran = decode('-', data=data)
        check(ran.returncode == 65, ran.returncode, ran.stderr)
        check(words.replace(b'00:0', b'00h:0') in ran.stderr, words,
              ran.stderr)
        check(not ran.stdout, ran.stdout)


def test_decode_says_what_a_short_file_lacks():
    raw = module_hex.raw(module_hex.cmis())
    answer = told('-', data=raw[:600], code=75)
    check(not answer['complete'])
    check('ends after octet 600, within page 03h' in answer['error'])
    check(answer['identity']['vendor'] == 'PETREL WORKS')
    one = told('-', data=raw[:1], code=75)
    check(not one['unsupported'] and 'module_temp_mc' in one['unread'], one)
    ran = decode('-', data=raw[:255])
    check(b'lacks the last octet of page 00h' in ran.stderr, ran.stderr)
    ran = decode('-', data=b'[lower]\n00: 19 50 00 06\n')
    check(ran.returncode == 75 and b'line 2 holds 4 octets of 128' in
          ran.stderr, ran.stderr)
    text = module_hex.sfputil(module_hex.cmis())
    at = text.index(b'Upper page 11h') + len('Upper page 11h')
    ran = decode('-', data=text[:at] + b'\nError: Failed to read EEPROM for '
                 b'page 11h, flat_offset 2304, page_offset 128, size 128!\n')
    check(ran.returncode == 75 and b', page 11h, holds 0 octets of 128' in
          ran.stderr, ran.stderr)


def test_decode_names_the_tables_that_a_file_lacks():
    """What `ethtool -m` gives without pages, and a dump that ends before the
    diagnostics that the module has."""
    def lacks(pages, *without):
        left = module_hex.Pages((at, x) for at, x in pages.items()
                                if at[1] not in without)
        data = module_hex.blocks(left)
        text = decode('-', data=data).stdout.decode()
        line = re.search(r'^not in file: +(.*)$', text, re.M)
        return (line.group(1) if line else '',
                'vdm' in told('-', data=data)['unread'])

    check(lacks(module_hex.qsfp(), 1, 2, 3) == ('thresholds', False))
    check(lacks(module_hex.cmis()) == ('', False))
    check(lacks(module_hex.cmis(), 2) == ('thresholds', False))
    check(lacks(module_hex.cmis(), 0x24) == ('VDM', True))
    check(lacks(module_hex.cmis(), 2, 0x20, 0x24) == ('thresholds, VDM', True))


def test_decode_of_a_shorter_page_lists_what_it_may_have():
    """Whether it measures stands in page 00h's octet 220: nobody knows."""
    pages = module_hex.qsfp()
    whole = told('-', data=module_hex.raw(pages))
    check('module_temp_mc' not in whole['unsupported'], whole['unsupported'])
    part = told('-', data=module_hex.raw(pages)[:210], code=75)
    check('module_temp_threshold_mc' in part['unread'], part)
    check(part['module']['module_temp_mc'] == 31250, part)
    check(part['module']['module_temp_quality'] == 'estimated', part)
    check(part['lanes'][3]['lane_tx_power_quality'] == 'estimated', part)
    check('lane_rx_power_quality' not in part['lanes'][3], part)
    check('module_temp_mc' not in part['unsupported'], part)


def test_decode_answers_each_shorter_file():
    """No crash, no hang, one of the known codes."""
    for pages in (module_hex.sfp(), module_hex.qsfp()):
        raw = module_hex.raw(pages)
        for n in list(range(0, 140, 7)) + list(range(140, len(raw), 37)):
            check(decode('-', data=raw[:n]).returncode in (0, 65, 75), n)
    text = module_hex.blocks(module_hex.cmis())
    for n in range(0, len(text), 997):
        check(decode('-', data=text[:n]).returncode in (0, 65, 75), n)


def test_decode_says_once_that_it_cannot_be_written():
    with open('/dev/full', 'w', encoding='ascii') as full:
        for form in ([], ['--json']):
            ran = subprocess.run(
                [agent.program('petrel'), 'decode', *form, '-'], stdout=full,
                input=module_hex.blocks(module_hex.cmis()), check=False,
                stderr=subprocess.PIPE)
            check(ran.returncode == 75 and ran.stderr.count(b'\n') == 1 and
                  b'standard output' in ran.stderr, form, ran)


def test_decode_wants_a_file():
    check(decode().returncode == 64)
    check(decode('--list-registers', 'x').returncode == 64)


def test_decode_lists_its_registers():
    lines = decode('--list-registers').stdout.decode().splitlines()
    check(lines[0].split()[0] == 'STANDARD')
    rx = [x for x in lines if x.startswith('CMIS') and
          ' lane_rx_power_pw ' in x]
    check(len(rx) == 1 and '11h' in rx[0] and '186' in rx[0] and
          'u16' in rx[0] and '100000' in rx[0] and
          'CMIS 5.0 section 8.9.4' in rx[0], rx)
    rows = [json.loads(x) for x in
            decode('--json', '--list-registers').stdout.splitlines()]
    check(len(rows) == len(lines) - 1)
    check(all(r['clause'] and r['type'] and r['page'] for r in rows))


# --- real modules ------------------------------------------------------------

NO_IMAGES = not os.path.exists(os.path.join(IMAGES, 'expected.json')) and \
    'NO IMAGES OF REAL MODULES BELOW PETREL_SHARED'


def expected():
    with open(os.path.join(IMAGES, 'expected.json'), encoding='utf-8') as f:
        return json.load(f)['modules']


def needs_images(function):
    """Such a test is skipped where there are none."""
    def run():
        return NO_IMAGES or function()
    return run


# Where the other reader and the standard part ways: file, field, why.
DISAGREED = {
    ('sff8636_100g_cwdm4_badsum_lower.hex', 'thr'):
        '00h:2 bit 2 is 1: flat memory has no page 03h',
    ('sff8472_10gbaset.hex', 'monitors'):
        'A0h:92 bit 6 is 0: there are no diagnostics in A2h',
}
for _name in ('sff8636_100g_dac.hex', 'sff8636_200g_cr4.hex'):
    DISAGREED[_name, 'monitors'] = \
        '00h:147 is Axh: passive copper measures nothing'
for _name in ('cmis_flatmem.hex', 'cmis_400g_cr8.hex'):
    DISAGREED[_name, 'monitors'] = \
        '00h:2 bit 7 is 1: flat memory has no monitors'
DISAGREED['cmis_cpo_6p4t_dr.hex', 'monitors'] = \
    'temperature, voltage and state 0 are no readings'
for _name in ('sff8636_100g_cwdm4.hex',
              'sff8636_100g_cwdm4_badsum_upper.hex'):
    DISAGREED[_name, 'thr'] = \
        '03h:176 to 199 count up: high alarms are below low ones'
DISAGREED['cmis_cpo_6p4t_dr.hex', 'thr'] = \
    '02h:255 is not the sum of the thresholds'
for _name in ('cmis_400g_fr4_multiport_vdm.hex', 'cmis_2x400g_dr4_vdm.hex'):
    DISAGREED[_name, 'bias'] = \
        '01h:255 is not the sum of the page that has the multiplier'


class Compared:
    """Differences between an answer and what was expected of it."""

    def __init__(self, module, answer):
        self.module, self.answer, self.wrong = module, answer, []

    def same(self, name, got, want, unit=0.5):
        if name.startswith('bias') and \
                (self.module['file'], 'bias') in DISAGREED:
            want = 0
        if got is None and want == 0:   # a lane or monitor that is not there
            return
        if got is None or abs(got - want) > unit:
            self.wrong.append((self.module['file'], name, got, want))

    def texts(self):
        for key, name in (('vendor', 'vendor'), ('pn', 'part'),
                          ('rev', 'revision'), ('sn', 'serial'),
                          ('date', 'date_code')):
            got = self.answer['identity'].get(name, '')
            if self.module.get(key, got) != got:
                self.wrong.append((self.module['file'], key, got))
        identifier = self.answer['identity']['identifier']
        if int(self.module['id'], 16) != identifier:
            self.wrong.append((self.module['file'], 'id', identifier))

    def monitors(self):
        m, said = self.module, self.answer['module']
        self.same('temp', said.get('module_temp_mc'), m['temp_C'] * 1e3)
        self.same('vcc', said.get('module_vcc_uv'), m['vcc_V'] * 1e6)
        lanes = {x['lane']: x for x in self.answer['lanes']}
        for key, name, scale in (('rx_mW', 'lane_rx_power_pw', 1e9),
                                 ('tx_mW', 'lane_tx_power_pw', 1e9),
                                 ('bias_mA', 'lane_tx_bias_ua', 1e3)):
            values = m.get(key, [])
            for i, want in enumerate(values if isinstance(values, list)
                                     else [values]):
                self.same('%s lane %d' % (key, i + 1),
                          lanes.get(i + 1, {}).get(name), want * scale)

    def states(self):
        m, lanes = self.module, {x['lane']: x for x in self.answer['lanes']}
        for i, want in enumerate(m.get('dpstate', [])):
            got = lanes.get(i + 1, {}).get('lane_data_path_state')
            if want in range(1, 8):
                self.same('dpstate %d' % (i + 1), got, want)
            elif got is not None:
                self.wrong.append((m['file'], 'dpstate', got, want))
        if m.get('module_state'):
            self.same('module_state',
                      self.answer['module'].get('module_state'),
                      m['module_state'])

    def thresholds(self):
        m, said = self.module, self.answer['module']
        multiplier = m.get('mon', {}).get('bias_mult', 1)
        supported = m.get('mon', {'tx_bias': True, 'tx_power': True,
                                  'rx_power': True})
        for key, base, unit, scale, has in (
                ('temp', 'module_temp', 'mc', 1e3, True),
                ('vcc', 'module_vcc', 'uv', 1e6, True),
                ('tx_mW', 'module_tx_power', 'pw', 1e9,
                 supported['tx_power']),
                ('rx_mW', 'module_rx_power', 'pw', 1e9,
                 supported['rx_power']),
                ('bias_mA', 'module_tx_bias', 'ua', 1e3, True),
                ('bias_raw_mA', 'module_tx_bias', 'ua', 1e3 * multiplier,
                 supported['tx_bias'])):
            for i, want in enumerate(m['thr'].get(key, []) if has else []):
                got = said.get(base + '_threshold', {}) \
                    .get('%s_%s' % (EDGES[i], unit))
                self.same('%s %s' % (key, EDGES[i]), got, want * scale)

    def vdm(self):
        lanes = {x['lane']: x for x in self.answer['lanes']}
        # a data path's stand for no lane: here there is but the first
        paths = {x['data_path']: x for x in self.answer['data_paths']}
        lanes[9] = paths.get(1, {})
        seen = 0
        for v in self.module.get('vdm', []):
            name, scale, is_signed = module_hex.VDM.get(v['type'],
                                                        (None, 0, 0))
            lane = v['lane'] if v['lane'] <= 8 else 9
            raw = int(v['raw'], 16)
            if name is None or raw == 0xffff:
                continue
            seen += 1
            want, factor = v['value'], scale
            if v['type'] > 100:     # expected.json has them raw, or not
                want = raw - (raw >> 15 << 16 if is_signed else 0)
            if callable(scale):
                want, factor = scale(raw), 1
            self.same('vdm type %d lane %d' % (v['type'], lane),
                      lanes.get(lane, {}).get(name), want * factor,
                      max(0.6, abs(want * factor) * 1e-12))
        if not self.module.get('vdm'):
            seen += any(k.startswith('vdm_') for x in lanes.values()
                        for k in x)
            if seen:
                self.wrong.append((self.module['file'], 'VDM not advertised'))


@needs_images
def test_decode_agrees_with_another_reader_on_real_modules():
    wrong = []
    for m in expected():
        name = m['file']
        c = Compared(m, told(os.path.join(IMAGES, name)))
        c.texts()
        if (name, 'monitors') not in DISAGREED:
            c.monitors()
            c.states()
        if 'thr' in m and (name, 'thr') not in DISAGREED:
            c.thresholds()
        c.vdm()
        wrong += c.wrong
    check(not wrong, *wrong)


@needs_images
def test_decode_keeps_to_the_standard_where_the_other_reader_does_not():
    for (name, field), why in DISAGREED.items():
        said = told(os.path.join(IMAGES, name))['module']
        key = {'thr': 'module_tx_power_threshold',
               'bias': 'module_tx_bias_threshold'}.get(field,
                                                       'module_temp_mc')
        check(key not in said, name, why)


@needs_images
def test_decode_reads_custom_vdm_as_those_who_bought_the_module_do():
    """FBOSS' CmisTest expects these of the same image: PAM4 levels and MPI are
    F16, and of the FEC tail media's maximum is 2 and the host's 3."""
    lanes = told(os.path.join(IMAGES, 'cmis_2x400g_fr4_vdm.hex'))['lanes']
    for name, want in (('vdm_pam4_sigma_0', 1783), ('vdm_pam4_sigma_1', 1843),
                       ('vdm_pam4_sigma_2', 2170), ('vdm_pam4_sigma_3', 2130),
                       ('vdm_mpi', 1328)):
        got = max(x[name] for x in lanes[:4])
        check(got == want, name, got, want)
    for side, most in (('', 2), ('host_', 3)):
        name = 'vdm_%sfec_tail' % side
        check({x[name + '_max_symbols'] for x in lanes} == {most}, name)
        check(all(x[name + '_symbols'] <= most for x in lanes), name)


@needs_images
def test_decode_gives_a_coherent_module_no_pam4():
    """Its type 100, raw 0002h, is its vendor's own."""
    lanes = told(os.path.join(IMAGES, 'ccmis_800g_zr_vdm.hex'))['lanes']
    check(lanes[0]['vdm_q_factor_mdb'] == 10700)
    check(not any('pam4' in key for x in lanes for key in x))


@needs_images
def test_decode_tells_wrong_checksums_of_real_modules():
    for name, where in (('sff8636_100g_cwdm4_badsum_upper.hex', '00h:223'),
                        ('cmis_2x400g_dr4_vdm.hex', '01h:255'),
                        ('sff8472_10g_sfp.hex', 'A2h:95')):
        faults = told(os.path.join(IMAGES, name))['implausible']
        check(where in [f['where'] for f in faults], name, faults)
    good = told(os.path.join(IMAGES, 'sff8636_100g_cwdm4.hex'))
    check(all(f['kind'] != 'checksum' for f in good['implausible']),
          good['implausible'])
    check([f['where'] for f in good['implausible']] ==
          ['03h:176', '03h:184', '03h:192'], good['implausible'])


@needs_images
def test_decode_trusts_what_a_module_advertises():
    """The LPO image repeats page 0 where VDM would be."""
    answer = told(os.path.join(IMAGES, 'cmis_2x400g_fr4_lpo_vdm.hex'))
    check(not answer['module']['module_vdm_supported'])
    check(not any('vdm' in k for x in answer['lanes'] for k in x))
    check(not any(f['where'].startswith('2')
                  for f in answer['implausible']), answer['implausible'])


@needs_images
def test_decode_sees_a_real_page_that_did_not_switch():
    faults = told(os.path.join(IMAGES, 'ccmis_800g_zr_vdm.hex'))['implausible']
    check(any(f['where'] == '12h:128' and 'repeats page 00h' in f['what']
              for f in faults), faults)


@needs_images
def test_decode_takes_real_dumps_of_other_origin():
    """Worked out here from the octets, which stand beside each."""
    for name, module, lane in (
            ('sff8472_10g_sr_finisar_FTLX8571D3BCL.hex',
             {'module_temp_mc': round(0x1402 * 1000 / 256),
              'module_vcc_uv': 0x81b1 * 100},
             {'lane_tx_bias_ua': 0x0d5a * 2,
              'lane_tx_power_pw': 0x17a5 * 100000,
              'lane_rx_power_pw': 0x1587 * 100000}),
            ('sff8436_qsfp_oom.hex',
             {'module_temp_mc': round(0x2b5c * 1000 / 256),
              'module_vcc_uv': 0x7fb1 * 100},
             {'lane_rx_power_pw': 0x1fd9 * 100000,
              'lane_tx_bias_ua': 0x0c52 * 2,
              'lane_tx_power_pw': 0x1dbc * 100000})):
        answer = told(os.path.join(OTHERS, name))
        for key, want in module.items():
            check(answer['module'][key] == want, name, key)
        for key, want in lane.items():
            check(answer['lanes'][0][key] == want, name, key)
        check(not answer['implausible'], name, answer['implausible'])
    for name in ('sff8472_a0_MUP0WB0.hex',
                 'sff8636_qsfp28_sonic_utilities.hex'):
        answer = told(os.path.join(OTHERS, name))
        check('module_temp_mc' not in answer['module'], name)
        check(answer['identity']['vendor'] in ('FINISAR CORP.', 'Molex Inc.'))


if __name__ == '__main__':
    agent.main(globals())
