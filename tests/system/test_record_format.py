#!/usr/bin/env python3
"""Whether petrel-record(5) is enough to read what the agent writes.

The reader in tests/support/record_reader.py was written from the page
alone; here it reads recorded batches and the fixed octets of the unit
tests.  Needs nothing but the standard library.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))

import record_reader as reader  # noqa: E402

DATA = ROOT / "tests" / "data"


def recorded():
    """The recorded records, as octets."""
    lines = (DATA / "stream" / "records.hex").read_text().split()
    return [bytes.fromhex(line) for line in lines]


def expected_lines():
    """The lines of values that must come out, by sequence."""
    lines = {}
    for line in (DATA / "stream" / "values.txt").read_text().splitlines():
        lines.setdefault(int(line.split()[0]), []).append(line)
    return lines


# What is a frame's, of petreld(8), and no record's.
OF_FRAMES = {"envelope_data", "envelope_data_2", "frame_sealed"}

read_of_golden = set()


def goldens():
    """The octets of each name in wire.golden."""
    lines = (DATA / "wire.golden").read_text().splitlines()
    return {words[0]: bytes.fromhex(words[1])
            for words in map(str.split, lines) if words}


def golden(name):
    """The octets of a name in wire.golden."""
    read_of_golden.add(name)
    return goldens()[name]


def line_of(sequence, column):
    """A column's values as a line of values.txt."""
    words = [sequence, column.quantity, column.index, column.source]
    words += [f"{v.entity}:{v.value}:{v.quality}:{v.taken_ns}"
              for v in column.values]
    return " ".join(map(str, words))


def refusal(call, *arguments):
    """The type of error with which a call refuses what it is given."""
    try:
        call(*arguments)
    except reader.FormatError as error:
        return type(error)
    return None


def same(found, wanted):
    """Fails with both where they differ."""
    assert found == wanted, f"found {found}, wanted {wanted}"


# Messages for what the recorded data do not bring

def number(field, value):
    """A small number as a field."""
    return bytes([field << 3, value])


def octets(field, *values):
    """Octets, or a message, as a field."""
    data = b"".join(values)
    return bytes([field << 3 | 2, len(data)]) + data


def a_list(rows):
    """A list of the entities 1, 2, 3 and so on, and its group."""
    return (octets(4, octets(2, b"\2" * rows)) +
            octets(5, octets(3, bytes([0, rows - 1]))))


def a_column(quantity, encoding, data):
    """A column over that list."""
    return octets(6, number(1, quantity), number(5, encoding),
                  octets(6, bytes.fromhex(data)))


def known(rows, *columns):
    """Columns by number over that list of so many rows."""
    group = octets(5, octets(3, bytes([0, rows - 1])))
    return group + b"".join(octets(9, bytes.fromhex(column))
                            for column in columns)


def values_of(*payloads):
    """The values of the last of some batches, the first a reference."""
    batches = reader.BatchReader()
    columns = []
    for place, payload in enumerate(payloads):
        batch = reader.read_message(payload, reader.BATCH)
        columns = batches.read_batch(batch, place == 0)
    return {column.quantity: [value.value for value in column.values]
            for column in columns}


# The tests

def test_values():
    """every recorded batch gives exactly its values"""
    batches = reader.BatchReader()
    found = {}
    for data in recorded():
        record, length = reader.read_record(data)
        same(length, len(data))
        columns = batches.read(record)
        found[record.sequence] = sorted(
            line_of(record.sequence, column) for column in columns)
    wanted = expected_lines()
    assert wanted, "no values are expected"
    same(sorted(found), sorted(wanted))
    for sequence, lines in wanted.items():
        same(found[sequence], sorted(lines))


def test_missing():
    """after a missing record nothing is read until a reference comes"""
    batches = reader.BatchReader()
    refused = []
    references = []
    for data in recorded()[:1] + recorded()[2:]:
        record, _ = reader.read_record(data)
        if record.flags & reader.REFERENCE_FLAG:
            references.append(record.sequence)
        if refusal(batches.read, record) is reader.NoReference:
            refused.append(record.sequence)
    same(references[0], 1)
    same(refused, list(range(3, references[1])))


def test_flipped():
    """a flipped bit in a record is refused, by its CRC where it covers it"""
    data = recorded()[0]
    for bit in range(8 * len(data)):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        error = refusal(reader.read_record, flipped)
        assert error is not None, f"bit {bit} was taken"
        if 4 <= bit // 8 < 28 or bit // 8 >= 32:
            same((bit, error), (bit, reader.WrongCrc))


def test_short():
    """a record cut short is refused"""
    data = recorded()[0]
    for length in range(len(data)):
        same((length, refusal(reader.read_record, data[:length])),
             (length, reader.ShortRecord))


def test_number():
    """a batch with another number than its record's is refused"""
    record, _ = reader.read_record(recorded()[0])
    other = record._replace(sequence=2, last=2)
    same(refusal(reader.BatchReader().read, record), None)
    same(refusal(reader.BatchReader().read, other), reader.FormatError)


def test_header():
    """a record's header is read"""
    record, length = reader.read_record(golden("record_event") + b"more")
    same(length, 37)
    same(record, reader.Record(
        stream=1, kind=3, flags=1, sequence=0x0102030405060708,
        last=0x0102030405060708, payload=b"hello"))


def test_run():
    """a run is read"""
    same(reader.read_message(golden("run"), reader.RUN), {
        "run": 0xfedcba9876543210, "previous_run": 3,
        "previous_last": [5, 0, 2 ** 64 - 1], "switch_name": "leaf-1",
        "version": "0.1.0", "mono_ns": 11, "wall_ns": 22, "switch_id": ""})


def test_clock():
    """a clock is read"""
    same(reader.read_message(golden("clock"), reader.CLOCK), {
        "mono_ns": 1, "wall_ns": -2, "error_ns": -1, "is_set": True,
        "number": 1})


def test_gap():
    """a gap is read"""
    same(reader.read_message(golden("gap"), reader.GAP), {
        "stream": 2, "first": 7, "last": 99, "reason": 1})


def test_event():
    """an event is read, and a field that is not known is passed over"""
    payload = bytes.fromhex(
        "0807100218ffffffffffffffffff0120e8072a05610962096330093a026538"
        "a006017a0178")
    same(reader.read_message(payload, reader.EVENT), {
        "entity": 7, "what": 2, "value": -1, "mono_ns": 1000,
        "text": "a\tb\tc", "number": 9, "subject": "e8"})


def test_dictionary():
    """a dictionary is read and taken on"""
    told = reader.read_message(golden("dictionary"), reader.DICTIONARY)
    dictionary = reader.Dictionary()
    dictionary.take(told)
    same((dictionary.version, told["snapshot"], told["number"]),
         (12, False, 1))
    same(dictionary.sources, {
        7: {"number": 7, "name": "sonic.dom", "interval_ns": 60}})
    same(dictionary.entities[4], {
        "id": 4, "kind": 5, "parent": 0, "name": "Ethernet8", "number": 0,
        "attributes": [], "gone": False})
    same(dictionary.entities[5], {
        "id": 5, "kind": 6, "parent": 1, "name": "", "number": 3,
        "attributes": [{"key": 12, "text": "ACME"},
                       {"key": 15, "text": ""}], "gone": True})
    dictionary.take({**told, "snapshot": True, "entities": []})
    same((dictionary.entities, list(dictionary.sources)), ({}, [7]))


def test_finding():
    """a finding's fields are told apart"""
    fields = reader.read_finding(golden("finding"))
    same(fields[1], [b"abcdefghij27"])
    same(fields[12], [b"the link went down 9 times in 5 minutes"])
    same(len(fields[21]), 2)


def test_finding_of_ports():
    """a finding of several ports has what came later as well"""
    fields = reader.read_finding(golden("finding_of_ports"))
    same(fields[27], [b"Ethernet12", b"Ethernet4"])
    same(fields[28], [70])
    same(fields[31], [b"bcdefghijk27"])


def test_units():
    """codes of encoding 2 in units, with the level told"""
    same(values_of(a_list(5) + a_column(1, 2, golden("rice_units").hex())),
         {1: [10, 20, 30, -10, 50]})


def test_batches():
    """a column in full and by its number gives the same values"""
    highest = 2 ** 63 - 1
    for name in ("batch_difference", "batch_known"):
        batches = reader.BatchReader()
        told = []
        for part in ("batch_reference", name):
            batch = reader.read_message(golden(part), reader.BATCH)
            told += batches.read_batch(batch, part != name)
        same(told, [
            reader.ColumnValues(1057, 1, 2, [
                reader.Value(5, highest, 0, 1900, 60),
                reader.Value(9, -1000, 2, 2100, 30)]),
            reader.ColumnValues(1057, 1, 2, [
                reader.Value(5, -highest - 1, 0, 1900, 60),
                reader.Value(9, -1000, 0, 2100, 30)])])


def test_unknown():
    """a column of an unknown encoding is passed over, and what needs it"""
    first = a_list(1) + a_column(1, 9, "ff") + a_column(2, 0, "06")
    same(values_of(first), {2: [3]})
    same(values_of(first, known(1, "0006", "0408")), {2: [4]})
    same(values_of(first, known(1, "06040000"), known(1, "0408")), {})


def test_mended():
    """rows of encoding 3 have units of their own and are mended"""
    first = a_list(3) + a_column(1, 0, "50004f")
    same(values_of(first), {1: [40, 0, -40]})
    same(values_of(first, known(3, "03010200da")), {1: [48, 1, -48]})
    same(values_of(first, known(3, "030102020002" "0103da")),
         {1: [49, 1, -50]})


def test_sparse():
    """eight rows without codes are followed by one with a code"""
    first = a_list(9) + a_column(1, 1, "0008")
    same(values_of(first, known(9, "024170")), {1: [0] * 8 + [1]})
    same(refusal(values_of, first, known(9, "024171")), reader.FormatError)


def test_golden_are_all_read():
    """each golden record was read by a test before this one"""
    same(set(goldens()) - OF_FRAMES - read_of_golden, set())


def run(number_of_test, test):
    """Runs a test and prints how it went; returns whether it went well."""
    try:
        test()
    except Exception as error:  # whatever it is, the test has failed
        print(f"not ok {number_of_test} - {test.__doc__}")
        print(f"# {type(error).__name__}: {error}")
        return False
    print(f"ok {number_of_test} - {test.__doc__}")
    return True


def main():
    """Runs all tests of this file."""
    tests = [test for name, test in globals().items()
             if name.startswith("test_")]
    results = [run(place, test) for place, test in enumerate(tests, 1)]
    print(f"1..{len(results)}")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
