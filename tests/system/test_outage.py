#!/usr/bin/env python3
"""C9, C10: tests/campaign/outage on a small switch, of minutes; a loaded machine
takes them more slowly.

petrel-test: timeout=100
"""
import os
import sys

CAMPAIGN = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..',
                        'campaign', 'outage')

os.execv(sys.executable, [
    sys.executable, CAMPAIGN, '--hours', '0.25', '--speed', '200', '--looks',
    '2', '--ports', '8', '--spool', '512K', '--per-day', '2M'])
