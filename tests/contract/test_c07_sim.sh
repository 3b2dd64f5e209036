#!/usr/bin/env bash
# petrel-test: timeout=120
# C7: the sim driver passes the suite of all drivers, on each scenario that is
# shipped. Readings of modules may be as old as their period. What it computes
# of the physics of 512 lanes no real driver has to: 3 ms where a machine is
# quiet, and that is near what a call may take.
cd "$(dirname "$0")/../.." || exit 1
build=${PETREL_BUILD:-build}
status=0
for scenario in tests/data/scenarios/*.scenario; do
	echo "# $scenario"
	CMOCKA_MESSAGE_OUTPUT=TAP "$build/tests/contract/contract_driver" sim \
		oldest=12 slow=3 "scenario=$scenario" speed=2 || status=1
done
exit $status
