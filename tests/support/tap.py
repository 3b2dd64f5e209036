"""Reads what a test program printed: TAP lines into results.

Understands what cmocka prints as well, which gives a skipped test as
`not ok 2 # SKIP test_name` and its reason on a line `SKIP reason` before it.
A skip without a reason is a failure, as is a program that says nothing, or
stops short of its plan.
"""
import collections
import re

Result = collections.namedtuple('Result', 'name outcome reason')
PASSED, FAILED, SKIPPED = 'passed', 'failed', 'skipped'

LINE = re.compile(r'^(not )?ok\b\s*\d*\s*(?:-\s*)?(.*)$')
PLAN = re.compile(r'^1\.\.(\d+)\s*(?:#\s*SKIP\S*\s*(.*))?$')
DIRECTIVE = re.compile(r'^(.*?)\s*#\s*SKIP\b:?\s*(.*)$')
REASON = re.compile(r'^(?:#\s*)?SKIP:?\s+(\S.*)$')


def skip_result(name, reason):
    if reason:
        return Result(name, SKIPPED, reason)
    return Result(name, FAILED, 'skipped without saying why')


def line_result(match, spoken_reason):
    is_bad, rest = match.groups()
    directive = DIRECTIVE.match(rest)
    if not directive:
        return Result(rest, FAILED if is_bad else PASSED, '')
    name, reason = directive.groups()
    if not name:                        # cmocka's way
        name, reason = reason, spoken_reason
    return skip_result(name, reason)


def parse(program, text, status, cut_short=False):
    """The results of one program; status is its exit status. cut_short: the
    runner ended it, and complains of that itself.
    """
    results, planned, spoken_reason = [], None, ''
    for line in text.splitlines():
        plan, match = PLAN.match(line), LINE.match(line)
        reason = REASON.match(line)
        if plan:
            planned = (planned or 0) + int(plan.group(1))
            if plan.group(1) == '0':
                results.append(skip_result(program, plan.group(2)))
                planned = None
        elif match:
            results.append(line_result(match, spoken_reason))
            spoken_reason = ''
        elif reason:
            spoken_reason = reason.group(1)
    complaint = program_complaint(results, planned, status)
    if complaint and not cut_short:
        results.append(Result(program, FAILED, complaint))
    return results


def program_complaint(results, planned, status):
    """What is wrong with the program as a whole; None: nothing."""
    if planned is not None and planned != len(results):
        return 'planned %d tests, told of %d, exit status %d' % (
            planned, len(results), status)
    if not results:
        return 'printed no result, exit status %d' % status
    if status and not any(r.outcome == FAILED for r in results):
        return 'exit status %d with no test failed' % status
    return None
