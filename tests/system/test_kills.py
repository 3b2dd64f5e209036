#!/usr/bin/env python3
"""C9, C10: a short round of tests/campaign/kill, of at least 200 kills."""
import os
import sys

CAMPAIGN = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..',
                        'campaign', 'kill')

os.execv(sys.executable, [sys.executable, CAMPAIGN, '200', '8'])
