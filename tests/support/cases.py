"""The main of a system test in Python: its functions test_*, told as TAP.

A function that takes an argument gets an empty folder, removed after it. A
failed assertion is told with its text, which should hold what was seen.
"""
import inspect
import subprocess
import sys
import tempfile
import traceback


class Skip(Exception):
    """Raised by a test that cannot run here, with the reason."""


def call(test):
    if not inspect.signature(test).parameters:
        return test()
    with tempfile.TemporaryDirectory() as folder:
        return test(folder)


def outcome_of(test):
    """(is good, what to add to the line, what to say below it)."""
    try:
        call(test)
    except Skip as e:
        return True, ' # SKIP %s' % e, ''
    except AssertionError as e:
        return False, '', str(e) or traceback.format_exc()
    except (OSError, ValueError, KeyError, subprocess.SubprocessError):
        return False, '', traceback.format_exc()
    return True, '', ''


def run(names, prefix):
    """Runs what is called test_* in names (globals()); ends the program."""
    tests = [(n, f) for n, f in names.items() if n.startswith('test_')]
    print('1..%d' % len(tests))
    failed = False
    for number, (name, test) in enumerate(tests, 1):
        is_good, remark, text = outcome_of(test)
        failed |= not is_good
        print('%sok %d - %s_%s%s' % ('' if is_good else 'not ', number, prefix,
                                     name[len('test_'):], remark))
        for line in text.splitlines():
            print('# ' + line)
        sys.stdout.flush()
    sys.exit(1 if failed else 0)
