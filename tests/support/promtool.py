"""What Prometheus itself makes of rules and queries."""
import json
import os
import subprocess
import tempfile


def run(test):
    """A unit test of rules as promtool takes it; its status and all it said."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'test.json')        # which is YAML
        with open(path, 'w', encoding='ascii') as f:
            json.dump(test, f)
        ran = subprocess.run(['promtool', 'test', 'rules', path], text=True,
                             capture_output=True, check=False)
    return ran.returncode, ran.stdout + ran.stderr
