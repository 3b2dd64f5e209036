#!/usr/bin/env python3
"""C12: the alert rules that are packaged, in Prometheus' own rule tests."""
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
import promtool                                         # noqa: E402
from agent import check                                 # noqa: E402

RULES = os.path.join(agent.TREE, 'packaging', 'prometheus', 'petrel.rules.yml')
DAY = 24 * 60       # minutes


def ports(signature, state, values, instance):
    return {'series': 'petrel_signature_ports{instance="%s", signature="%s", '
                      'state="%s"}' % (instance, signature, state),
            'values': values}


def blind(series, minute, alert='PetrelBlind'):
    """The summaries of an alert that fire then."""
    test = {'rule_files': [RULES], 'evaluation_interval': '1m',
            'tests': [{'interval': '1m', 'input_series': series,
                       'alert_rule_test': [{'alertname': alert,
                                            'eval_time': '%dm' % minute}]}]}
    code, text = promtool.run(test)
    check(code == 0 or 'got:[' in re.sub(r'\s', '', text), text)
    return sorted(set(re.findall(r'summary="([^"]*)"',
                                 text.split('got:')[-1]))) \
        if code else []


def grown(signature, seen, instance='collector:9817'):
    """The ports of a second switch are there from the second day on."""
    def steps(one, more):
        return '%dx%d %dx%d' % (one, DAY, one + more, DAY)
    return [ports(signature, 'blind', steps(64, 64), instance),
            ports(signature, 'armed', steps(64 * seen, 64 * seen), instance)]


def test_c12_new_switch_is_not_blind_to_what_no_switch_can_see():
    if not shutil.which('promtool'):
        return 'NO PROMTOOL HERE'
    check(blind(grown('microburst', 0), DAY + 60) == [])
    got = blind(grown('light_loss', 1), DAY + 60)
    check(got == ['light_loss cannot see 128 ports of the switches of '
                  'collector:9817'], got)
    check(blind(grown('light_loss', 1), 2 * DAY - 60) == got)
    return None


def test_c12_alert_says_which_switch_is_blind():
    if not shutil.which('promtool'):
        return 'NO PROMTOOL HERE'
    at = 'leaf1:9273'
    got = blind([ports('link_down', 'blind', '3x60', at),
                 {'series': 'petrel_switch_info{instance="%s", '
                            'switch="leaf1"}' % at, 'values': '1x60'}], 30)
    check(got == ['link_down cannot see 3 ports of leaf1'], got)
    # the collector knows many, and counts the ports of all
    at = 'collector:9817'
    got = blind([ports('link_down', 'blind', '3x60', at),
                 {'series': 'petrel_collector_build_info{instance="%s"}' % at,
                  'values': '1x60'},
                 {'series': 'petrel_switch_info{instance="%s", '
                            'switch="leaf1"}' % at, 'values': '1x60'}], 30)
    check(got == ['link_down cannot see 3 ports of the switches of ' + at],
          got)
    return None


def test_c12_alert_of_a_stale_source_serves_switch_and_collector():
    if not shutil.which('promtool'):
        return 'NO PROMTOOL HERE'
    def of(labels, values, name='fresh'):
        return {'series': 'petrel_source_%s{%s}' % (name, labels),
                'values': values}
    at = 'instance="leaf1:9717", source="sonic.%s"'
    series = [of('switch="leaf2", source="sonic.dom"', '1x10 0x60'),
              of('switch="leaf2", source="sonic.ports"', '1x70'),
              of(at % 'dom', '0x70'), of(at % 'dom', '1x70', 'supported'),
              of(at % 'hft', '0x70'), of(at % 'hft', '0x70', 'supported')]
    got = blind(series, 40, 'PetrelSourceStale')
    check(got == ['sonic.dom of leaf1:9717 gives nothing new',
                  'sonic.dom of leaf2 gives nothing new'], got)
    check(blind(series, 20, 'PetrelSourceStale') == got[:1])
    return None


def scraped(labels, values):
    """Series as a program gives them, scraped at an instance."""
    name, _, more = labels.partition('{')
    return {'series': '%s{instance="at:1"%s' % (name, ', ' + more if more
                                                else '}'), 'values': values}


# Of each alert whose rule has no test of its own: series that are well, and
# what else there is when it fires; the minute; what it says.
ALERTS = {
    'PetrelSwitchSilent': (
        [scraped('petrel_switch_up{switch="leaf2"}', '1x20 0 1x20'),
         scraped('petrel_spool_full', '0x40'),
         *({'series': '%s{instance="%s"%s}' % (name, at, more),
            'values': '%dx40' % value}
           for at, failed in (('sick:1', 1), ('full:1', 0))
           for name, more, value in (
               ('petrel_switch_up', ', switch="leaf3"', 0),
               ('petrel_spool_failed', '', failed),
               ('petrel_spool_full', '', 1 - failed)))],
        [scraped('petrel_switch_up{switch="leaf1"}', '1x20 0x20')],
        22, 'leaf1 is silent'),
    'PetrelAgentDown': (
        [scraped('petrel_up', '1x20 0x3 1x20'),
         scraped('up{job="node"}', '0x40')],
        [scraped('petrel_up{switch="leaf1"}', '1x20 0x20')],
        26, 'petreld on at:1 does not answer'),
    'PetrelSpoolGrowing': (
        # a collector's is bounded by its limit, and stays there
        [scraped('petrel_spool_bytes', '9x40'),
         scraped('petrel_spool_limit_bytes', '10x40'),
         scraped('petrel_collector_build_info{version="1"}', '1x40'),
         scraped('petrel_spool_full', '0x40')],
        [{'series': 'petrel_spool_%s{instance="leaf1:1"}' % name,
          'values': values} for name, values in
         (('bytes', '1x20 6x20'), ('limit_bytes', '10x40'))],
        26, 'The spool of leaf1:1 fills up'),
    'PetrelSpoolFailed': (
        [scraped('petrel_spool_failed', '0x20 1 0x20')],
        [{'series': 'petrel_spool_failed{instance="leaf1:1"}',
          'values': '0x20 1x20'}],
        24, 'The spool of leaf1:1 cannot be written'),
    'PetrelSameId': (
        [scraped('petrel_same_id_frames_total', '7x40')],
        [{'series': 'petrel_same_id_frames_total{instance="collector:1"}',
          'values': '0x20 1+5x20'}],
        24, 'Two agents that send to collector:1 have the same id'),
    'PetrelSinkLagging': (
        [scraped('petrel_sink_lag_seconds{sink="sqlite"}', '299x40')],
        [scraped('petrel_sink_lag_seconds{sink="remote_write"}', '0x20 900x20')],
        26, 'Sink remote_write is 15m 0s behind'),
    'PetrelCollectorDown': (
        [scraped('up{job="petrel-collector"}', '1x20 0 1x20'),
         scraped('up{job="petrel"}', '0x40')],
        [{'series': 'up{instance="collector:1", job="my-petrel-collector"}',
          'values': '1x20 0x20'}],
        23, 'The collector collector:1 does not answer'),
}


def test_c12_each_alert_fires_on_what_it_is_for_and_on_that_alone():
    if not shutil.which('promtool'):
        return 'NO PROMTOOL HERE'
    with open(RULES, encoding='utf-8') as f:
        names = re.findall(r'- alert: (\w+)', f.read())
    check(sorted(names) == sorted([*ALERTS, 'PetrelBlind',
                                   'PetrelSourceStale']), names)
    for alert, (well, ill, minute, words) in ALERTS.items():
        check(blind(well, minute, alert) == [], alert, 'is false')
        got = blind(well + ill, minute, alert)
        check(got == [words], alert, got)
        check(blind(well + ill, 20, alert) == [], alert, 'is early')
    return None


def test_c12_full_spool_of_a_collector_is_told():
    if not shutil.which('promtool'):
        return 'NO PROMTOOL HERE'
    got = blind([scraped('petrel_spool_full', '1x20')], 10, 'PetrelSpoolGrowing')
    check(got == ['The spool of at:1 fills up'], got)
    return None


def test_c12_rules_have_the_severities_of_findings():
    with open(RULES, encoding='utf-8') as f:
        words = re.findall(r'severity: *(\S+)', f.read())
    check(words and set(words) <= {'watch', 'warn', 'critical'}, words)


if __name__ == '__main__':
    agent.main(globals())
