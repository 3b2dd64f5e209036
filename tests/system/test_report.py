#!/usr/bin/env python3
# petrel-test: timeout=120
"""petrel report, as whoever gets the ticket opens it: on a telephone and on a
wide screen, without network, with names that are hostile or replaced, with the
agent and without. And petrel compare.
"""
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 'support'))
import agent                                            # noqa: E402
import browser                                          # noqa: E402
from agent import SLOW, Bed, check, main, wait_for      # noqa: E402
from folder import OpenFolder                           # noqa: E402

FAULTY = '''switch name=report-leaf ports=8 speed=400G lanes=4 media=DR4 \
fec=rs544 seed=3 dom=1s
at 2s Ethernet16 down reason=light
'''
HOSTILE = 'leaf<script>"x\'&amp;'
EMPTY = {'meta', 'line', 'path', 'br'}
PARTS = ['times of day', '<h2>Findings', 'link_down', 'evidence',
         'light received, by lane', 'Petrel Sim', '<h2>Lanes', '</html>']
SHARED = []


def shared():
    if not SHARED:
        folder = OpenFolder(prefix='petrel-report-')
        scenario = os.path.join(folder.name, 'faulty.scenario')
        with open(scenario, 'w', encoding='utf-8') as f:
            f.write(FAULTY)
        bed = Bed(scenario, interval='200ms', collector=False, name=HOSTILE)
        SHARED.extend((bed, folder))
        bed.agent.start()
        check(bed.wait_serving(), bed.agent.log())
        check(wait_for(lambda: bed.json('findings')['findings'], 30 * SLOW),
              'no finding')
    return SHARED[0]


def finding():
    return shared().json('findings')['findings'][0]['id']


class Elements(html.parser.HTMLParser):
    """Each element ends where it should; the texts together."""

    def __init__(self, page):
        super().__init__()
        self.open, self.seen, self.text, self.bad = [], set(), '', []
        self.feed(page)
        check(not self.open and not self.bad, self.open, self.bad)

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        self.bad += [a for a, _ in attrs if a.startswith('on') or
                     a in ('href', 'src')]
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in EMPTY and (not self.open or self.open.pop() != tag):
            self.bad.append(tag)

    def handle_data(self, data):
        self.text += data


def report(*words, code=0):
    ran = shared().ask('report', *words)
    check(ran[0] == code and not ran[2], words, ran[0], ran[2])
    return ran[1]


def test_report_is_one_page_of_a_finding_of_a_port_and_of_the_switch():
    for words, more in (((finding(),), ['<h2>Module']),
                        (('ethernet16',), ['<h2>Module', 'serial']),
                        ((), ['<h2>What is watched', 'Ethernet56'])):
        page = report(*words)
        for part in PARTS[:5 if not words else None] + more:
            check(part in page, words, part, page[:3000])
        elements = Elements(page)
        check('script' not in elements.seen, elements.seen)
        check(not re.search(r'https?:|url\(|@import', page), words)
        check('<path class="c0 curve" d="M' in page, words)


def test_report_shows_hostile_names_as_text():
    page = report('Ethernet16')
    check('<script' not in page and 'leaf&lt;script&gt;&quot;x&#39;&amp;amp;'
          in page, page[:2000])
    check(HOSTILE in Elements(page).text, page[:2000])


def test_report_redacts_names_and_serials_the_same_everywhere():
    bed = shared()
    names = [HOSTILE] + [m['serial'] for m in bed.json('modules')['modules']] \
        + [p['peer_switch'] for p in bed.json('links')['links']]
    names = [n for n in names if n]
    check(len(names) > 10, names)
    plain, page = report(), report('--redact')
    for name in names:
        check(name in Elements(plain).text, name)
        check(name not in Elements(page).text, name)
    one = re.findall(r'host-\d+', report('Ethernet16', '--redact'))
    check(len(one) > len(set(one)) > 2, one)


def test_report_says_what_it_lacks_with_the_agent_down():
    bed = shared()
    with OpenFolder() as folder:
        run = os.path.join(folder, 'run')
        shutil.copytree(bed.run_dir, run,
                        ignore=lambda d, names: [n for n in names
                                                 if n.endswith('.sock')])
        where = os.path.join(run, 'petrel.sock')
        for words in ((finding(),), ('Ethernet16', '--redact'), ()):
            ran = bed.ask('report', '--socket', where, *words)
            check(ran[0] == 3 and not ran[2], words, ran[0], ran[2])
            for part in PARTS[:4] + ['Missing from this page', 'is down']:
                check(part in ran[1], words, part)
            Elements(ran[1])
        os.unlink(os.path.join(run, 'samples.ring'))
        ran = bed.ask('report', '--socket', where, 'Ethernet16')
        check(ran[0] == 3 and 'plots of Ethernet16' in ran[1], ran)
    ran = bed.ask('report', '--socket', '/nowhere/petrel.sock')
    check(ran[0] == 69 and not ran[1] and 'no rings' in ran[2], ran)


def test_report_refuses_what_is_not_there():
    bed = shared()
    for words, code, says in ((('<script>',), 66, 'no port or open'),
                              (('--json',), 64, 'no JSON')):
        ran = bed.ask('report', *words)
        check(ran[0] == code and says in ran[2] and not ran[1], words, ran)


def test_report_fits_a_telephone_and_a_wide_screen_and_asks_nobody():
    if not browser.program():
        print('# SKIPPED: NO CHROMIUM HERE')
        return
    with OpenFolder() as folder, browser.Browser() as b:
        for n, words in enumerate(((finding(),), ())):
            path = os.path.join(folder, '%d.html' % n)
            with open(path, 'w', encoding='utf-8') as f:
                f.write(report(*words))
            for width in (380, 1600):
                b.open(path, width)
                wide = b.value('document.documentElement.scrollWidth')
                text = b.value('document.body.innerText')
                check(wide <= width, words, width, wide)
                check('link_down' in text and HOSTILE in text, text[:500])
                check(b.asked() == ['file://' + path], b.asked())
                check(b.value('document.querySelector(".plot")'
                              '.getBoundingClientRect().width') > width / 2,
                      width)


def test_compare_tells_what_differs_first_and_by_its_exit_status():
    bed = shared()
    code, out, err = bed.ask('compare', 'Ethernet0', 'Ethernet16')
    check(code == 0 and not err, code, err)     # of settings none
    rows = [line for line in out.splitlines() if re.match(r'[* ]  \w', line)]
    marks = [line[0] for line in rows[1:]]
    check(marks == sorted(marks, reverse=True) and '*' in marks, out)
    for words in (r'^\* +module +serial +- +\w+ +\w+$',
                  r'^\* +reading +link +- +up +down$',
                  r'^\* +reading +Rx +2 +-?\d', r'^  +setting +speed '):
        check(re.search(words, out, re.M), words, out)
    told = bed.json('compare', 'Ethernet0', 'Ethernet16')['compare']
    rx = [r for r in told if r['what'] == 'Rx' and r['lane'] == 2]
    check(rx[0]['differs'] and rx[0]['unit'] == 'pw' and
          rx[0]['first_value'] > 100 * rx[0]['second_value'], rx)
    ran = bed.ask('compare', 'Ethernet0', 'Ethernet9')
    check(ran[0] == 66, ran)
    ran = bed.ask('compare', 'Ethernet0', 'ETHERNET0', '--json')
    check(ran[0] == 0 and not [r for r in json.loads(ran[1])['compare']
                               if r['differs']], ran)


def test_compare_says_that_settings_differ():
    with OpenFolder() as folder:
        scenario = os.path.join(folder, 'two.scenario')
        with open(scenario, 'w', encoding='utf-8') as f:
            f.write('switch name=two ports=2 speed=400G lanes=4 media=DR4 '
                    'fec=rs544 seed=3 dom=1s\n'
                    'port Ethernet8 fec=none\n')
        bed = Bed(scenario, interval='200ms', collector=False, name='two')
        try:
            bed.agent.start()
            check(bed.wait_serving(), bed.agent.log())
            check(wait_for(lambda: bed.ask('compare', 'Ethernet0',
                                           'Ethernet8')[0] == 1, 20 * SLOW),
                  bed.ask('compare', 'Ethernet0', 'Ethernet8'))
        finally:
            bed.close()


def test_sparklines_are_in_port_ports_and_finding_with_the_agent_down_too():
    bed = shared()
    with OpenFolder() as folder:
        run = os.path.join(folder, 'run')
        shutil.copytree(bed.run_dir, run,
                        ignore=lambda d, names: [n for n in names
                                                 if n.endswith('.sock')])
        for where, code in ((bed.socket, 0),
                            (os.path.join(run, 'petrel.sock'), 3)):
            for words in (('port', 'Ethernet0'), ('findings', finding()),
                          ('ports', 'Ethernet0', '--wide')):
                for locale in 'C.UTF-8', 'C':
                    ran = subprocess.run(
                        agent.command('petrel', '--socket', where, *words),
                        capture_output=True, text=True, check=False,
                        env=dict(os.environ, LC_ALL=locale, COLUMNS='200'))
                    text = ran.stdout
                    check(ran.returncode == code and '15 min' in text.lower(), words, ran)
                    line = [x for x in text.splitlines()
                            if x.startswith(('light', 'Ethernet0'))][-1]
                    check((locale == 'C') == (not re.search('[▁-█]', line)),
                          locale, line)
                    check(locale != 'C' or re.search('[_.=*#-]+', line), line)
                told = json.loads(bed.ask(words[0], '--socket', where,
                                          *words[1:], '--json')[1])
                check('sparks' not in told and '▁' not in str(told), told)
        os.unlink(os.path.join(run, 'samples.ring'))
        ran = bed.ask('ports', '--socket', os.path.join(run, 'petrel.sock'),
                      '--wide')
        check(ran[0] == 3 and '15 min' not in ran[1], ran)
    for words in ('ports',), ('findings',):     # not where nobody asked
        check('15 min' not in bed.ask(*words)[1].lower(), words)


def close():
    for thing in SHARED:
        (thing.close if isinstance(thing, Bed) else thing.cleanup)()


if __name__ == '__main__':
    try:
        main(globals())
    finally:
        close()
