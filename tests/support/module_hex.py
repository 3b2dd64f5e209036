"""Modules that do not exist, as pages of octets, and the forms in which people
have a module's memory: blocks of hex, optoe's raw layout, what ethtool,
hexdump, xxd and sfputil print.

A module is a dict of (bank, page) to 128 octets; page LOWER is lower memory.
An SFP's A2h is bank 1. The values are those of tests/support/module_twin.c.
"""
import struct

LOWER = 0x100

# VDM type: key in the JSON, scale of the value (or a function of the raw
# octets), signed. A second reader's table, kept apart from the program's.
VDM = {1: ('vdm_laser_age_ppm', 1e4, False),
       3: ('vdm_laser_frequency_error_mhz', 1, True),
       4: ('vdm_laser_temp_mc', 1e3, True),
       5: ('lane_snr_mdb', 1e3, False), 6: ('vdm_host_snr_mdb', 1e3, False),
       7: ('vdm_ltp_mdb', 1e3, False), 8: ('vdm_host_ltp_mdb', 1e3, False),
       15: ('lane_pre_fec_ber_e18', 1e18, False)}
for _i, _name in ((9, 'pre_fec_ber_min'), (11, 'pre_fec_ber_max'),
                  (13, 'pre_fec_ber_avg'), (17, 'ferc_min'),
                  (19, 'ferc_max'), (21, 'ferc_avg'), (23, 'ferc'),
                  (25, 'ferc_total'), (15, 'pre_fec_ber')):
    if _i != 15:
        VDM[_i] = ('vdm_%s_e18' % _name, 1e18, False)
    VDM[_i + 1] = ('vdm_host_%s_e18' % _name, 1e18, False)


def _milli(raw):
    """F16 in thousandths, what is below them cut off."""
    return int((raw & 0x7ff) * 10.0 ** ((raw >> 11) - 24) * 1000 + 1e-9)


for _i in range(4):
    VDM[100 + _i] = ('vdm_pam4_sigma_%d' % _i, _milli, False)
VDM.update({
    104: ('vdm_mpi', _milli, False),
    105: ('vdm_custom_105', _milli, False),
    106: ('vdm_fec_tail_max_symbols', 1, False),
    107: ('vdm_fec_tail_symbols', 1, False),
    108: ('vdm_host_fec_tail_max_symbols', 1, False),
    109: ('vdm_host_fec_tail_symbols', 1, False),
    134: ('vdm_cd_short_ps_per_nm', 1, True),
    135: ('vdm_cd_long_ps_per_nm', 20, True),
    136: ('vdm_dgd_fs', 10, False), 137: ('vdm_sopmd_fs2', 10000, False),
    138: ('vdm_pdl_mdb', 100, False), 139: ('vdm_osnr_mdb', 100, False),
    140: ('vdm_esnr_mdb', 100, False), 141: ('vdm_cfo_mhz', 1, True),
    142: ('vdm_evm_ppm', 1e6 / 65535, False),
    146: ('vdm_sop_roc_krad_per_s', 1, False),
    147: ('vdm_mer_mdb', 100, False),
    148: ('vdm_clock_recovery_loop_ppm', 1e6 / 32767, True),
    149: ('vdm_sopmd_low_fs2', 1000000, False),
    150: ('vdm_snr_margin_mdb', 100, True),
    151: ('vdm_q_factor_mdb', 100, False),
    152: ('vdm_q_margin_mdb', 100, True)})


def _pw(raw):
    """Signed hundredths of a dBm."""
    return 10 ** ((raw - (raw >> 15 << 16)) / 1000) * 1e9


for _i, _name in ((143, 'tx_power'), (144, 'rx_total_power'),
                  (145, 'rx_signal_power')):
    VDM[_i] = ('vdm_%s_pw' % _name, _pw, True)
for _i, _name in enumerate(('xi', 'xq', 'yi', 'yq', 'x_phase', 'y_phase')):
    VDM[128 + _i] = ('vdm_bias_%s_ppm' % _name, 1e6 / 65535, False)


class Pages(dict):
    """Octets are put by their place; a page comes into being blank."""

    def put(self, bank, page, offset, octets):
        half = self.setdefault((bank, page), bytearray(128))
        at = offset % 128
        half[at:at + len(octets)] = octets

    def put16(self, bank, page, offset, *values):
        for i, value in enumerate(values):
            self.put(bank, page, offset + 2 * i,
                     struct.pack('>H', value & 0xffff))

    def text(self, page, offset, n, text):
        self.put(0, page, offset, text.encode().ljust(n))

    def seal(self, bank, page, first, last, at):
        half = self[bank, page]
        half[at % 128] = sum(half[first % 128:last % 128 + 1]) & 0xff


def _vdm(p, bank, slot, threshold_set, lane, kind, raw):
    p.put(bank, 0x20 + slot // 64, 128 + 2 * (slot % 64),
          bytes((threshold_set << 4 | lane, kind)))
    p.put16(bank, 0x24 + slot // 64, 128 + 2 * (slot % 64), raw)


def _cmis_bank(p, bank):
    for i in range(8):
        p.put16(bank, 0x11, 154 + 2 * i, 12000 + 100 * bank + i)
        p.put16(bank, 0x11, 170 + 2 * i, 20000 + 100 * bank + i)
        p.put16(bank, 0x11, 186 + 2 * i, 8000 + 100 * bank + i)
        _vdm(p, bank, i, 0, i, 5, 0x1500 + i)
        _vdm(p, bank, 8 + i, 1, i, 15, 12 << 11 | (300 + i))
    p.put(bank, 0x11, 128, b'\x44' * 4 + b'\xff\xff')
    p.put(bank, 0x11, 202, b'\x11' * 4)
    p.put(bank, 0x11, 206, b'\x10' * 8)
    p.put(bank, 0x11, 147, b'\x04')
    p.put(bank, 0x11, 150, b'\x04')
    p.put(bank, 0x10, 130, b'\x80')
    p.put(bank, 0x13, 180, b'\x00')
    p.put(bank, 0x14, 128, [0])
    p.put(bank, 0x2c, 128, b'\x00')
    p.put16(bank, 0x28, 128, 0x2000, 0x0e00, 0x1e00, 0x1000)


def cmis(banks=1):
    """OSFP DR8 with VDM."""
    p = Pages()
    p.put(0, LOWER, 0, b'\x19\x50\x00\x07')
    p.put16(0, LOWER, 14, 0x2d80, 33012, -3277, 0x3440)
    p.put(0, LOWER, 39, b'\x02\x0b')
    p.put(0, LOWER, 85, bytes((2, 0x51, 0x56, 0x88, 1, 0x4b, 0x14, 0x11,
                               0xff, 0xff)))
    p.put(0, 0x00, 128, b'\x19')
    p.text(0x00, 129, 16, 'PETREL WORKS')
    p.put(0, 0x00, 145, b'\x02\x50\x54')
    p.text(0x00, 148, 16, 'PW-800G-DR8')
    p.text(0x00, 164, 2, '1A')
    p.text(0x00, 166, 16, 'PW0000000042')
    p.text(0x00, 182, 8, '250831')
    p.put(0, 0x00, 200, b'\xe0\x40\x00\x28')
    p.put(0, 0x00, 212, b'\x06')
    p.put(0, 0x01, 128, b'\x02\x0a\x03')
    p.put(0, 0x01, 142, bytes((0x60 | {1: 0, 2: 1, 4: 2}[banks],)))
    p.put(0, 0x01, 145, b'\x01')
    p.put(0, 0x01, 155, b'\x02\x02\x0f\x06\x0f\x0f')
    p.put(0, 0x01, 176, b'\x01\xff')
    p.put16(0, 0x02, 128, 0x4b00, -0x500, 0x4600, 0)
    p.put16(0, 0x02, 136, 36300, 29700, 34650, 31350)
    p.put16(0, 0x02, 176, 39811, 3631, 25119, 5754)
    p.put16(0, 0x02, 184, 32500, 8750, 31250, 10000)
    p.put16(0, 0x02, 192, 44668, 1148, 35481, 1445)
    for bank in range(banks):
        _cmis_bank(p, bank)
    p.put(0, 0x2f, 128, b'\x00')
    p.seal(0, 0x00, 128, 221, 222)
    p.seal(0, 0x01, 130, 254, 255)
    p.seal(0, 0x02, 128, 254, 255)
    return p


def more_banks(p, count):
    """CMIS 5.4: it says so in 01h:174."""
    p.put(0, LOWER, 1, b'\x54')
    p.put(0, 0x01, 142, bytes((p[0, 0x01][14] | 3,)))
    p.put(0, 0x01, 174, bytes((count - 1,)))
    p.seal(0, 0x01, 130, 254, 255)
    return p


def cdb(p, state=0x03):
    """Adds what CDB command 0100h answers: 2.11.3, 2.10.300 and 1.0.7."""
    p.put(0, LOWER, 37, b'\x01')
    p.put(0, 0x01, 163, b'\x40')
    p.put(0, 0x9f, 128, b'\x01\x00\x00\x00\x00\xfe' + bytes((110,)))
    p.put(0, 0x9f, 136, bytes((state, 0x07)))
    p.put16(0, 0x9f, 138, 0x020b, 3)
    p.put16(0, 0x9f, 174, 0x020a, 300)
    p.put16(0, 0x9f, 210, 0x0100, 7)
    p.put(0, 0x9f, 135, bytes((0xff - sum(p[0, 0x9f][8:118]) % 256,)))
    p.seal(0, 0x01, 130, 254, 255)
    return p


def qsfp():
    """QSFP28 CWDM4."""
    p = Pages()
    p.put(0, LOWER, 0, b'\x11\x08')
    p.put16(0, LOWER, 22, 0x1f40)
    p.put16(0, LOWER, 26, 32890)
    for i in range(4):
        p.put16(0, LOWER, 34 + 2 * i, 5000 + i)
        p.put16(0, LOWER, 42 + 2 * i, 17500 + i)
        p.put16(0, LOWER, 50 + 2 * i, 9000 + i)
    p.put(0, 0x00, 128, b'\x11\xcd\x07')
    p.put(0, 0x00, 147, b'\x40')
    p.text(0x00, 148, 16, 'PETREL WORKS')
    p.text(0x00, 168, 16, 'PW-100G-CWDM4')
    p.put(0, 0x00, 192, b'\x06\x00\x34\x1a')
    p.text(0x00, 196, 16, 'PW0000000043')
    p.text(0x00, 212, 8, '240229A1')
    p.put(0, 0x00, 220, b'\x3c')
    for page in (0x01, 0x02):
        p.put(0, page, 128, b'\x00')
    p.put16(0, 0x03, 128, 0x4b00, -0x500, 0x4600, 0)
    p.put16(0, 0x03, 176, 22387, 1023, 17783, 1288)
    p.seal(0, 0x00, 128, 190, 191)
    p.seal(0, 0x00, 192, 222, 223)
    return p


def sfp():
    """SFP+ SR, A0h and A2h."""
    p = Pages()
    p.put(0, LOWER, 0, b'\x03\x04\x07\x10')
    p.put(0, LOWER, 12, bytes((103,)))
    p.text(LOWER, 20, 16, 'PETREL WORKS')
    p.text(LOWER, 40, 16, 'PW-10G-SR')
    p.put16(0, LOWER, 60, 850)
    p.text(LOWER, 68, 16, 'PW0000000044')
    p.text(LOWER, 84, 8, '230405')
    p.put(0, LOWER, 92, b'\x68\xf0\x08')
    p.put(0, 0x00, 128, b'\x00')
    p.put16(1, LOWER, 0, 0x4e00, -0xd00, 0x4900, -0x800)
    p.put16(1, LOWER, 96, 0x1b80, 33100, 3500, 6000, 5500)
    p.put(1, 0x00, 128, b'\x00')
    p.seal(0, LOWER, 0, 62, 63)
    p.seal(0, LOWER, 64, 94, 95)
    p.seal(1, LOWER, 0, 94, 95)
    return p


# --- forms -------------------------------------------------------------------

def _is_sfp(p):
    return p[0, LOWER][0] in (1, 2, 3)


def _lines(octets, first):
    for i in range(0, len(octets), 16):
        yield first + i, octets[i:i + 16]


def blocks(p):
    """data/README.md's form, with banks."""
    out = ['# made by a test']
    for (bank, page), half in sorted(p.items(),
                                     key=lambda x: (x[0][1] != LOWER, x[0])):
        name = 'lower' if page == LOWER else 'page %02x' % page
        if _is_sfp(p):
            name = 'a%d %s' % (2 * bank, name)
        elif bank:
            name += ' bank %d' % bank
        out.append('[%s]' % name)
        out += ['%02x: %s' % (at, octets.hex(' ')) for at, octets in
                _lines(half, 0 if page == LOWER else 128)]
    return ('\n'.join(out) + '\n').encode()


def raw(p):
    """As sysfs gives it; pages that are not there are zeroes."""
    if _is_sfp(p):
        return b''.join(p[key] for key in ((0, LOWER), (0, 0), (1, LOWER),
                                           (1, 0)))
    last = max(bank * 256 + page for bank, page in p if page != LOWER)
    return bytes(p[0, LOWER]) + b''.join(
        bytes(p.get((n // 256, n % 256), bytes(128)))
        for n in range(last + 1))


def whole(p, banks=1):
    """All that optoe gives: a page that the module does not have is page 00h,
    and page FFh is nobody's."""
    pages = {(bank, page): p[0, 0] for bank in range(banks)
             for page in range(256)}
    pages.update(p)
    for bank in range(banks):
        pages[bank, 0xff] = bytes(range(100, 228))
    return pages


def ethtool_hex(p):
    out = 'Offset\t\tValues\n------\t\t------\n'
    for at, octets in _lines(raw(p), 0):
        out += '0x%04x:\t\t%s \n' % (at, octets.hex(' '))
    return out.encode()


def _dump(p, address, line):
    """A * for lines like the one before; the end's address by itself."""
    out, last, starred = [], None, False
    for at, octets in _lines(raw(p), 0):
        if octets == last:
            if not starred:
                out.append('*')
            starred = True
            continue
        last, starred = octets, False
        out.append(address % at + line(octets))
    out.append(address % len(raw(p)))
    return ('\n'.join(out) + '\n').encode()


def _text(octets):
    return ''.join(chr(c) if 32 <= c < 127 else '.' for c in octets)


def hexdump(p):
    """hexdump -C"""
    return _dump(p, '%08x', lambda octets: '  %s  %s  |%s|' % (
        octets[:8].hex(' '), octets[8:].hex(' '), _text(octets)))


def _words(octets):
    """As a machine has them that stores the low octet first."""
    return ''.join(' %02x%02x' % (high, low) for low, high in
                   zip(octets[::2], octets[1::2]))


def hexdump_words(p):
    """hexdump without an option"""
    return _dump(p, '%07x', _words)


def od_words(p):
    """od -x, which counts in octal"""
    return _dump(p, '%07o', _words)


def od(p):
    """od -tx1"""
    return _dump(p, '%07o', lambda octets: ' ' + octets.hex(' '))


def xxd_plain(p):
    """xxd -p"""
    octets = raw(p)
    return b''.join(octets[at:at + 30].hex().encode() + b'\n'
                    for at in range(0, len(octets), 30))


def kernel_log(p):
    """print_hex_dump(), in dmesg, in a mail that quotes it."""
    return b''.join(b'> [%5d.%06d] sfp EE: %08x: %s  %s\n' % (
        12, at, at, octets.hex(' ').encode(), _text(octets).encode())
        for at, octets in _lines(raw(p), 0))


def xxd(p):
    out = ''
    for at, octets in _lines(raw(p), 0):
        text = ''.join(chr(c) if 32 <= c < 127 else '.' for c in octets)
        out += '%08x: %s  %s\n' % (at, octets.hex(' ', 2), text)
    return out.encode()


def xxd_reversed(p, octets=4):
    """xxd -e: the last octet of each word first, their text in order."""
    out = ''
    for at, line in _lines(raw(p), 0):
        words = [line[i:i + octets][::-1] for i in range(0, 16, octets)]
        out += '%08x: %s  %s\n' % (at, ' '.join(x.hex() for x in words),
                                   _text(line))
    return out.encode()


def xxd_decimal(p):
    """xxd -d"""
    return b''.join(b'%08d: %s  %s\n' % (at, line.hex(' ', 2).encode(),
                                         _text(line).encode())
                    for at, line in _lines(raw(p), 0))


def xxd_list(p):
    """xxd -i"""
    lines = [', '.join('0x%02x' % x for x in line)
             for _, line in _lines(raw(p), 0)]
    return ('unsigned char eeprom[] = {\n  %s\n};\nunsigned int eeprom_len = '
            '%d;\n' % (',\n  '.join(lines), len(raw(p)))).encode()


def sfputil(p):
    """sfputil show eeprom-hexdump, with its ASCII column."""
    out = ['EEPROM hexdump for port Ethernet0']
    for (bank, page), half in sorted(p.items(),
                                     key=lambda x: (x[0][1] != LOWER, x[0])):
        lower = page == LOWER
        if _is_sfp(p):
            head = 'A%dh dump %s' % (2 * bank, 'lower' if lower else
                                     'upper page 0h')
        else:
            head = 'Lower page 0h' if lower else 'Upper page %xh' % page
        out += ['', '        ' + head]
        for at, octets in _lines(half, 0 if lower else 128):
            text = ''.join(chr(c) if 32 <= c < 127 else '.' for c in octets)
            out.append('        %08x %s %s |%s|' % (
                at, octets[:8].hex(' '), octets[8:].hex(' '), text))
    return ('\n'.join(out) + '\n').encode()
