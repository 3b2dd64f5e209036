"""A reader of Petrel's records, written from petrel-record(5) alone.

It shares no code with the agent, so what both agree on is what the manual
page says.  Octets go in, plain Python values come out; whatever does not
keep to the page raises a FormatError.
"""

import struct
import zlib
from collections import namedtuple
from dataclasses import dataclass, field

HEADER = struct.Struct(">IBBHQQII")
LONGEST_PAYLOAD = 65464
STREAMS = ("findings", "states", "samples")
KINDS = {1: "run", 2: "dictionary", 3: "event", 4: "clock", 5: "finding",
         6: "batch", 7: "capsule", 8: "gap", 9: "congestion"}
REFERENCE_FLAG = 1


class FormatError(ValueError):
    """The octets are not what the page describes."""


class ShortRecord(FormatError):
    """The octets end before the record does."""


class WrongCrc(FormatError):
    """The record's CRC is not that of its octets."""


class NoReference(FormatError):
    """A batch that cannot be read before the next reference."""


# Whole numbers

def signed(number):
    """The signed number that has the low 64 bits of this one."""
    number &= (1 << 64) - 1
    return number - (1 << 64) if number >> 63 else number


def unzigzag(z):
    """The signed number that a zigzag number stands for."""
    return -((z + 1) // 2) if z & 1 else z // 2


def quotient(dividend, divisor):
    """A division that goes towards 0."""
    result = abs(dividend) // abs(divisor)
    return result if (dividend < 0) == (divisor < 0) else -result


class Octets:
    """Takes numbers off the front of some octets."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def left(self):
        """How many octets have not been taken."""
        return len(self.data) - self.at

    def take(self, length):
        """The next octets."""
        if length > self.left():
            raise FormatError("the octets end too early")
        self.at += length
        return self.data[self.at - length:self.at]

    def octet(self):
        """The next octet as a number."""
        return self.take(1)[0]

    def varint(self):
        """An unsigned number of up to 64 bits, seven bits an octet."""
        number = 0
        for shift in range(0, 70, 7):
            octet = self.octet()
            number |= (octet & 0x7f) << shift
            if octet < 0x80:
                break
        else:
            raise FormatError("a varint of more than ten octets")
        if number >> 64:
            raise FormatError("a varint of more than 64 bits")
        return number

    def zigzag(self):
        """A signed number."""
        return unzigzag(self.varint())

    def end(self):
        """Refuses octets that nothing has asked for."""
        if self.left():
            raise FormatError("octets are left over")


class Bits:
    """Takes bits off some octets, the upper bit of each octet first."""

    def __init__(self, data):
        self.number = int.from_bytes(data, "big")
        self.left = 8 * len(data)

    def take(self, count):
        """The next bits as a number, the upper one first."""
        if count > self.left:
            raise FormatError("the bits end too early")
        self.left -= count
        return (self.number >> self.left) & ((1 << count) - 1)

    def end(self):
        """Refuses more than the zero bits that fill the last octet."""
        if self.left > 7 or self.take(self.left):
            raise FormatError("bits are left over")


# Records

Record = namedtuple("Record", "stream kind flags sequence last payload")


def read_record(data):
    """Reads the record that the octets begin with.

    Returns the record and how many octets it has.
    """
    if len(data) < HEADER.size:
        raise ShortRecord("the header is cut short")
    length, stream, kind, flags, sequence, last, crc, zero = (
        HEADER.unpack_from(data))
    if length > LONGEST_PAYLOAD:
        raise FormatError("the payload is too long")
    end = HEADER.size + length
    if len(data) < end:
        raise ShortRecord("the payload is cut short")
    payload = bytes(data[HEADER.size:end])
    if zlib.crc32(payload, zlib.crc32(data[:24])) != crc:
        raise WrongCrc("the CRC does not fit the octets")
    if zero or stream >= len(STREAMS):
        raise FormatError("no such header")
    return Record(stream, kind, flags, sequence, last, payload), end


# Messages

def read_fields(data):
    """Lists a message's fields as pairs of number and value.

    A value is a number for a varint, else its octets.
    """
    octets = Octets(data)
    fields = []
    while octets.left():
        number, wire = divmod(octets.varint(), 8)
        if wire == 0:
            fields.append((number, octets.varint()))
        elif wire == 2:
            fields.append((number, octets.take(octets.varint())))
        elif wire in (1, 5):
            fields.append((number, octets.take(8 if wire == 1 else 4)))
        else:
            raise FormatError("a wire type that is not in use")
    return fields


def as_uint(value):
    """A field that is an unsigned number."""
    if not isinstance(value, int):
        raise FormatError("octets where a number belongs")
    return value


def as_int(value):
    """A field that is a signed number."""
    return signed(as_uint(value))


def as_bool(value):
    """A field that is true or false."""
    return as_uint(value) != 0


def as_bytes(value):
    """A field of octets."""
    if isinstance(value, int):
        raise FormatError("a number where octets belong")
    return value


def as_string(value):
    """A field of text."""
    try:
        return as_bytes(value).decode()
    except UnicodeDecodeError as error:
        raise FormatError("text that is not UTF-8") from error


def as_fixed64(value):
    """A field of 8 octets, the lowest first."""
    octets = as_bytes(value)
    if len(octets) != 8:
        raise FormatError("a fixed number of another length")
    return int.from_bytes(octets, "little")


def message(table):
    """How a field is read that is a message of its own."""
    return lambda value: read_message(as_bytes(value), table)


def many(read):
    """Marks a field that may come more than once."""
    return [read]


DEFAULTS = {as_uint: 0, as_int: 0, as_bool: False, as_bytes: b"",
            as_string: "", as_fixed64: 0}


def read_message(data, table):
    """Reads a message as a dictionary from names to values.

    The table has name and type by field number.  What the message leaves
    out is 0 or empty, a message inside it None; what the table does not
    know is passed over.
    """
    values = {}
    for name, kind in table.values():
        values[name] = [] if isinstance(kind, list) else DEFAULTS.get(kind)
    for number, value in read_fields(data):
        name, kind = table.get(number, (None, None))
        if isinstance(kind, list):
            values[name] += read_repeated(value, kind[0])
        elif name:
            values[name] = kind(value)
    return values


def read_repeated(value, read):
    """The elements of one repeated field; numbers may come packed."""
    if read is not as_uint or isinstance(value, int):
        return [read(value)]
    octets = Octets(value)
    numbers = []
    while octets.left():
        numbers.append(octets.varint())
    return numbers


PART = {1: ("number", as_uint), 2: ("count", as_uint)}

RUN = {
    1: ("run", as_fixed64),
    2: ("previous_run", as_fixed64),
    3: ("previous_last", many(as_uint)),
    4: ("switch_name", as_string),
    5: ("version", as_string),
    6: ("mono_ns", as_int),
    7: ("wall_ns", as_int),
    8: ("switch_id", as_string),
}

ATTRIBUTE = {1: ("key", as_uint), 2: ("text", as_string)}

ENTITY = {
    1: ("id", as_uint),
    2: ("kind", as_uint),
    3: ("parent", as_uint),
    4: ("name", as_string),
    5: ("number", as_uint),
    6: ("attributes", many(message(ATTRIBUTE))),
    7: ("gone", as_bool),
}

SOURCE = {
    1: ("number", as_uint),
    2: ("name", as_string),
    3: ("interval_ns", as_int),
}

DICTIONARY = {
    1: ("version", as_uint),
    2: ("snapshot", as_bool),
    3: ("part", message(PART)),
    4: ("entities", many(message(ENTITY))),
    5: ("sources", many(message(SOURCE))),
    6: ("number", as_uint),
}

EVENT = {
    1: ("entity", as_uint),
    2: ("what", as_uint),
    3: ("value", as_int),
    4: ("mono_ns", as_int),
    5: ("text", as_string),
    6: ("number", as_uint),
    7: ("subject", as_string),
}

CLOCK = {
    1: ("mono_ns", as_int),
    2: ("wall_ns", as_int),
    3: ("error_ns", as_int),
    4: ("is_set", as_bool),
    5: ("number", as_uint),
}

GAP = {
    1: ("stream", as_uint),
    2: ("first", as_uint),
    3: ("last", as_uint),
    4: ("reason", as_uint),
}

CONGESTION = {
    1: ("id", as_string),
    2: ("entity", as_uint),
    3: ("name", as_string),
    4: ("from_mono_ns", as_int),
    5: ("to_mono_ns", as_int),
    6: ("peak", as_int),
    7: ("peak_mono_ns", as_int),
    8: ("quantity", as_uint),
    9: ("lost_frames", as_uint),
    10: ("lost_octets", as_uint),
    11: ("marked_frames", as_uint),
    12: ("delay_ns", as_int),
    13: ("missing", as_uint),
    14: ("number", as_uint),
}

LIST = {1: ("id", as_uint), 2: ("entities", as_bytes)}

GROUP = {
    1: ("source", as_uint),
    2: ("list", as_uint),
    3: ("taken", as_bytes),
    4: ("uncertainty_ns", as_int),
    5: ("window_ns", as_int),
    6: ("windows", as_bytes),
}

COLUMN = {
    1: ("quantity", as_uint),
    2: ("index", as_uint),
    3: ("source", as_uint),
    4: ("list", as_uint),
    5: ("encoding", as_uint),
    6: ("data", as_bytes),
    7: ("quality", as_bytes),
}

BATCH = {
    1: ("mono_ns", as_int),
    2: ("dictionary", as_uint),
    3: ("part", message(PART)),
    4: ("lists", many(message(LIST))),
    5: ("groups", many(message(GROUP))),
    6: ("columns", many(message(COLUMN))),
    7: ("number", as_uint),
    8: ("still", as_bytes),
    9: ("known", many(as_bytes)),
}

TABLES = {"run": RUN, "dictionary": DICTIONARY, "event": EVENT,
          "clock": CLOCK, "batch": BATCH, "gap": GAP,
          "congestion": CONGESTION}


def read_told(record):
    """Reads a record's message and checks the number in it, if any."""
    if KINDS.get(record.kind) not in TABLES:
        raise FormatError("a kind of record without a table")
    told = read_message(record.payload, TABLES[KINDS[record.kind]])
    if told.get("number", record.sequence) != record.sequence:
        raise FormatError("the message has another number")
    return told


def read_finding(payload):
    """A finding's values by field number; the page names no fields."""
    values = {}
    for number, value in read_fields(payload):
        values.setdefault(number, []).append(value)
    return values


class Dictionary:
    """What the numbers of entities and sources mean."""

    def __init__(self):
        self.version = 0
        self.entities = {}
        self.sources = {}

    def take(self, told):
        """Takes a dictionary message on."""
        first = not told["part"] or told["part"]["number"] == 0
        if told["snapshot"] and first:
            self.entities = {}
            self.sources = {}
        self.version = told["version"]
        for entity in told["entities"]:
            self.entities[entity["id"]] = entity
        for source in told["sources"]:
            self.sources[source["number"]] = source


# What a reader of batches keeps

@dataclass
class Series:
    """What is known of the values of one entity in one column."""

    last: int = 0
    slope: int = 0
    before: int = 0
    mean: int = 0
    begun: bool = False
    level: int = None

    def take(self, value):
        """Takes the series on by one value, which it returns."""
        value = signed(value)
        if self.begun:
            change = signed(value - self.mean)
            self.mean = signed(self.mean + quotient(change, 4))
        else:
            self.mean = value
        self.before = self.slope
        self.slope = signed(value - self.last)
        self.last = value
        self.begun = True
        return value


@dataclass
class ColumnState:
    """What is known of one column since the reference."""

    quantity: int
    index: int
    source: int
    list: int = 0
    readable: bool = True
    coded: tuple = None
    series: dict = field(default_factory=dict)

    def of(self, entity):
        """The series of an entity, a new one at first."""
        return self.series.setdefault(entity, Series())


Group = namedtuple("Group", "taken uncertainty_ns windows")
Value = namedtuple("Value", "entity value quality taken_ns window_ns")
ColumnValues = namedtuple("ColumnValues", "quantity index source values")


def read_runs(octets, rows):
    """Zigzag differences, where a 0 says how many more of it follow."""
    differences = []
    while len(differences) < rows:
        difference = octets.zigzag()
        differences.append(difference)
        if difference == 0:
            more = octets.varint()
            if more > rows - len(differences):
                raise FormatError("more rows than the list has")
            differences += [0] * more
    octets.end()
    return differences


def add_up(differences, value):
    """The values whose differences these are, from the first one on."""
    values = []
    for difference in differences:
        value = signed(value + difference)
        values.append(value)
    return values


def read_list(data):
    """The entities of a list."""
    octets = Octets(data)
    differences = []
    while octets.left():
        differences.append(octets.zigzag())
    return add_up(differences, 0)


def read_group(told, rows, tick):
    """When the source took each row of a list."""
    taken = add_up(read_runs(Octets(told["taken"]), rows), tick)
    windows = [told["window_ns"]] * rows
    if told["windows"]:
        windows = add_up(read_runs(Octets(told["windows"]), rows), 0)
    return Group(taken, told["uncertainty_ns"], windows)


def read_quality(data, rows):
    """The quality of each row."""
    if not data:
        return [0] * rows
    octets = Octets(data)
    qualities = []
    while octets.left():
        quality, count = octets.varint(), octets.varint()
        if count > rows - len(qualities):
            raise FormatError("more qualities than rows")
        qualities += [quality] * count
    if len(qualities) != rows:
        raise FormatError("rows without a quality")
    return qualities


# The encodings

def read_values(data, rows):
    """Encoding 0: the values of the rows' series."""
    octets = Octets(data)
    values = [row.take(octets.zigzag()) for row in rows]
    octets.end()
    return values


def read_differences(data, rows):
    """Encoding 1: differences to the last values."""
    differences = read_runs(Octets(data), len(rows))
    return [row.take(row.last + difference)
            for row, difference in zip(rows, differences)]


@dataclass
class Head:
    """What stands before the codes of encodings 2 and 3."""

    predictor: int
    sparse: bool
    base: int = None
    unit: int = 1
    level: int = 0
    kept_bits: int = None
    mended: dict = field(default_factory=dict)

    def unit_of(self, row):
        """The unit of a row; encoding 3 has it from the row's slope."""
        if self.kept_bits is None:
            return self.unit
        length = abs(row.slope).bit_length()
        return 1 << max(0, length - 1 - self.kept_bits)


def read_head(octets, encoding, rows):
    """Reads the head and leaves the octets at the codes."""
    first = octets.octet()
    head = Head(first & 15, bool(first & 64))
    if head.predictor > 4 or first & 128:
        raise FormatError("no such predictor")
    if head.predictor == 4:
        head.base = octets.varint()
    if first & 16:
        head.unit = octets.varint()
        if encoding == 3 or head.unit == 0:
            raise FormatError("a unit that cannot be")
    if first & 32:
        head.level = octets.octet()
    if encoding == 3:
        read_mending(head, octets, rows)
    return head


def read_mending(head, octets, rows):
    """Reads what encoding 3 has in its head besides."""
    head.kept_bits = octets.octet()
    if not 2 <= head.kept_bits <= 64:
        raise FormatError("a number of bits that cannot be")
    row = -1
    for _ in range(octets.varint()):
        row += 1 + octets.varint()
        if row >= rows:
            raise FormatError("a mended row that the list has not")
        head.mended[row] = octets.zigzag()


def predict(predictor, row, base):
    """What a row's value is expected to be."""
    if predictor < 3:
        return (0, row.last, row.mean)[predictor]
    slope = row.slope
    if predictor == 4 and base.before > 0:
        product = row.slope * base.slope
        if product == signed(product):
            slope = quotient(product, base.before)
    return signed(row.last + slope)


def read_code(bits, level):
    """Reads one code, a zigzag number."""
    lower = min((level + 9) // 32, 63)
    upper = 0
    while upper < 24 and bits.take(1):
        upper += 1
    if upper == 24:
        return bits.take(bits.take(6) + 1)
    return (upper << lower) | bits.take(lower)


def read_residuals(bits, head, rows):
    """The residual of each row; takes the levels on."""
    residuals = []
    coded = True
    for place, row in enumerate(rows):
        if row.level is None:
            row.level = 32 * head.level
        if head.sparse and place % 8 == 0:
            coded = bits.take(1)
        z = 0
        if coded:
            z = read_code(bits, row.level)
            row.level += quotient(32 * z.bit_length() - row.level, 6)
        residuals.append(unzigzag(z))
    bits.end()
    return residuals


def read_codes(octets, head, rows, bases):
    """Encodings 2 and 3: predictions and what they are off by."""
    residuals = read_residuals(Bits(octets.take(octets.left())), head, rows)
    values = []
    for place, (row, base) in enumerate(zip(rows, bases)):
        unit = head.unit_of(row)
        prediction = predict(head.predictor, row, base)
        steps = quotient(signed(prediction - row.last), unit)
        value = row.last + unit * (steps + residuals[place])
        values.append(row.take(value + head.mended.get(place, 0)))
    return values


# Batches

class BatchReader:
    """Reads the stream of samples, one record after the other."""

    def __init__(self):
        self.next_sequence = None
        self.forget()

    def forget(self):
        """Forgets all that a reference forgets."""
        self.ready = False
        self.lists = {}
        self.columns = []

    def read(self, record):
        """The values of a record of the stream of samples, by column."""
        expected = self.next_sequence
        self.next_sequence = record.last + 1
        batch = KINDS.get(record.kind) == "batch"
        if record.sequence != expected or not batch:
            self.ready = False
        if not batch:
            return []
        return self.read_batch(read_told(record),
                               bool(record.flags & REFERENCE_FLAG))

    def read_batch(self, batch, reference):
        """The values of a batch message, by column."""
        if reference:
            self.forget()
        elif not self.ready:
            raise NoReference("nothing can be read before a reference")
        self.ready = False
        columns = self.take(batch)
        self.ready = True
        return columns

    def take(self, batch):
        """Takes a batch on in the order that the page gives."""
        for told in batch["lists"]:
            self.lists[told["id"]] = read_list(told["entities"])
        groups = self.read_groups(batch)
        columns = [self.read_column(told, groups)
                   for told in batch["columns"]]
        columns += [self.read_known(known, groups)
                    for known in batch["known"]]
        columns += self.read_still(batch["still"], groups)
        return [column for column in columns if column is not None]

    def entities(self, number):
        """The entities of a list."""
        if number not in self.lists:
            raise FormatError("a list that nothing has told")
        return self.lists[number]

    def read_groups(self, batch):
        """The groups of a batch, by source and list."""
        groups = {}
        for told in batch["groups"]:
            rows = len(self.entities(told["list"]))
            group = read_group(told, rows, batch["mono_ns"])
            groups[told["source"], told["list"]] = group
        return groups

    def column(self, number):
        """The column of a number."""
        if not 0 <= number < len(self.columns):
            raise FormatError("a column that has not come")
        return self.columns[number]

    def find_column(self, told):
        """The column of a message, which has the next number if new."""
        key = told["quantity"], told["index"], told["source"]
        for column in self.columns:
            if (column.quantity, column.index, column.source) == key:
                return column
        self.columns.append(ColumnState(*key))
        return self.columns[-1]

    def read_column(self, told, groups):
        """The values of a column that is told in full."""
        column = self.find_column(told)
        column.list = told["list"]
        values = self.decode(column, told["encoding"], told["data"])
        return self.tell(column, values, groups, told["quality"])

    def read_known(self, known, groups):
        """The values of a column that is told by its number."""
        octets = Octets(known)
        number, encoding = divmod(octets.varint(), 4)
        column = self.column(number)
        values = self.decode(column, encoding, octets.take(octets.left()))
        return self.tell(column, values, groups)

    def read_still(self, still, groups):
        """The values of the columns whose values are as they were."""
        octets = Octets(still)
        columns = []
        number = 0
        while octets.left():
            number += octets.zigzag()
            for _ in range(octets.varint()):
                columns.append(self.stay(self.column(number), groups))
                number += 1
        return columns

    def stay(self, column, groups):
        """The values of one column whose values are as they were."""
        values = None
        if column.readable:
            values = [row.take(row.last) for row in self.rows(column)]
        return self.tell(column, values, groups)

    def rows(self, column):
        """The series of a column's rows."""
        return [column.of(entity) for entity in self.entities(column.list)]

    def decode(self, column, encoding, data):
        """The rows' values, or None where they cannot be read."""
        if encoding > 3:
            column.readable = False
        if not column.readable:
            return None
        rows = self.rows(column)
        if encoding < 2:
            read = (read_values, read_differences)[encoding]
            return read(data, rows)
        return self.decode_codes(column, encoding, Octets(data), rows)

    def decode_codes(self, column, encoding, octets, rows):
        """The rows' values of encoding 2 or 3."""
        head = read_head(octets, encoding, len(rows))
        bases = [None] * len(rows)
        if head.base is not None:
            base = self.column(head.base)
            column.readable = base.readable
            bases = self.base_rows(column, base)
        if not column.readable:
            return None
        if column.coded != (encoding, head.predictor):
            for row in column.series.values():
                row.level = None
        column.coded = encoding, head.predictor
        return read_codes(octets, head, rows, bases)

    def base_rows(self, column, base):
        """The series by which a column is predicted."""
        if self.entities(base.list) != self.entities(column.list):
            raise FormatError("a base over another list")
        return self.rows(base)

    def tell(self, column, values, groups, quality=b""):
        """A column's values with what is known of each."""
        if values is None:
            return None
        if (column.source, column.list) not in groups:
            raise FormatError("a column without a group")
        group = groups[column.source, column.list]
        told = map(Value, self.entities(column.list), values,
                   read_quality(quality, len(values)), group.taken,
                   group.windows)
        return ColumnValues(column.quantity, column.index, column.source,
                            list(told))
