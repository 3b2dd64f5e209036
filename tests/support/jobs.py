"""Runs one test program in a process group of its own, and cleans up.

Whatever a program leaves behind is found by the variable JOB_VARIABLE in its
environment, wherever it moved to, told as a failure, and ended by its pid.
"""
import ctypes
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time

JOB_VARIABLE = 'PETREL_TEST_JOB'
PR_SET_CHILD_SUBREAPER = 36
MEMORY = '/dev/shm'
# A session is scheduled as one where the kernel groups them.
IDLE = ['sh', '-c', 'echo 19 2>/dev/null >/proc/self/autogroup;'
        'exec nice -n 19 "$@"', 'idle']
MEMORY_MIN = 4 << 30
GRACE_S = 2.0


class Job:
    """A command that prints TAP, or (tap=False) whose status is the result.

    alone: nothing else of its group runs beside it, because it measures time.
    idle: it has what others leave of the processors.
    """

    def __init__(self, name, command, timeout_s=60, tap=True, alone=False,
                 env=None):
        self.name, self.command, self.timeout_s = name, command, timeout_s
        self.tap, self.alone, self.env = tap, alone, env or {}
        self.idle = False


class Ended:
    """How a job ended: exit status, seconds, and what is to be complained of.
    cut_short: it did not end by itself, so what it printed is not all.
    """

    def __init__(self, status, seconds, complaint, cut_short):
        self.status, self.seconds = status, seconds
        self.complaint, self.cut_short = complaint, cut_short


class Reaper(threading.Thread):
    """Waits for orphans of tests, which become our children: a test that
    kills a process with -9 must not see its children as zombies for ever,
    which is what it would see where process 1 is no init.
    """

    def __init__(self):
        super().__init__(daemon=True)
        self.lock, self.own = threading.Lock(), set()
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self.start()

    def popen(self, *args, **kwargs):
        """A child of ours, to be waited for by who asked for it."""
        with self.lock:
            child = subprocess.Popen(*args, **kwargs)
            self.own.add(child.pid)
        return child

    def reap_one(self):
        with self.lock:
            try:
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG |
                                  os.WNOWAIT)
                if not ended or ended.si_pid in self.own:
                    return False
                os.waitpid(ended.si_pid, 0)
            except ChildProcessError:
                return False
        return True

    def run(self):
        while True:
            while self.reap_one():
                pass
            time.sleep(0.02)


def marked_pids(mark):
    """Living processes whose environment carries the job's mark."""
    found = []
    for entry in os.listdir('/proc'):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        try:
            with open('/proc/%s/environ' % entry, 'rb') as f:
                fields = f.read().split(b'\0')
        except OSError:
            continue
        wanted = ('%s=%s' % (JOB_VARIABLE, mark)).encode()
        if any(f == wanted or f.startswith(wanted + b'/') for f in fields):
            found.append(int(entry))
    return found


def command_of(pid):
    try:
        with open('/proc/%d/cmdline' % pid, 'rb') as f:
            return f.read().replace(b'\0', b' ').decode(errors='replace')
    except OSError:
        return ''


def signal_pid(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def wait_gone(mark, seconds):
    """Waits until no process of the job lives; returns those that still do."""
    until = time.monotonic() + seconds
    left = marked_pids(mark)
    while left and time.monotonic() < until:
        time.sleep(0.05)
        left = marked_pids(mark)
    return left


def end_all(mark, child=None):
    """Ends what carries the mark, and child, should it carry none."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        for pid in marked_pids(mark):
            signal_pid(pid, number)
        if child and child.poll() is None:
            signal_pid(child.pid, number)
        wait_gone(mark, GRACE_S)


def environment(job, mark, folder):
    env = dict(os.environ)
    # The jobs of the make that called us are not to be shared: a test that
    # calls make has its own.
    for name in ('MAKEFLAGS', 'MFLAGS', 'MAKELEVEL', 'MAKEOVERRIDES', 'GROUPS',
                 'T'):
        env.pop(name, None)
    env.update(CMOCKA_MESSAGE_OUTPUT='TAP', LC_ALL='C.UTF-8', TMPDIR=folder,
               PYTHONDONTWRITEBYTECODE='1')
    env.setdefault('PETREL_SHARED', '../shared')
    env.update(job.env)
    env[JOB_VARIABLE] = mark
    return env


def watch(child, mark, allowed_s):
    """Waits for a job's end; returns a complaint or None, and whether its time
    was up.
    """
    complaint, cut_short = None, False
    try:
        child.wait(allowed_s)
    except subprocess.TimeoutExpired:
        complaint, cut_short = 'not done after %.0f s' % allowed_s, True
        end_all(mark, child)
        child.wait()
    left = wait_gone(mark, GRACE_S)
    if left:
        complaint = complaint or 'left running: ' + '; '.join(
            '%d %s' % (pid, command_of(pid)) for pid in left)
        end_all(mark)
    return complaint, cut_short


def scratch():
    """Where jobs keep what they write: in memory, as a switch's /run is, where
    there is enough of it. A disk that others write to holds up who writes."""
    try:
        s = os.statvfs(MEMORY)
    except OSError:
        return '/tmp'
    fits = s.f_bavail * s.f_frsize >= MEMORY_MIN
    barred = s.f_flag & (os.ST_NOEXEC | os.ST_RDONLY)
    return MEMORY if fits and not barred and os.path.ismount(MEMORY) and \
        os.access(MEMORY, os.W_OK) else '/tmp'


def run(reaper, job, log_path, deadline, number):
    """Runs a job until its time or the group's deadline; returns Ended."""
    mark = ('%s/%d.%d' % (os.environ.get(JOB_VARIABLE, ''), os.getpid(),
                          number)).lstrip('/')
    folder = tempfile.mkdtemp(prefix='petrel-', dir=scratch())
    os.chmod(folder, 0o755)     # a test may have others look in
    begin = time.monotonic()
    allowed_s = max(0.1, min(job.timeout_s, deadline - begin))
    try:
        with open(log_path, 'wb') as log:
            child = reaper.popen(
                (IDLE if job.idle else []) + job.command, stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True,
                env=environment(job, mark, folder))
        complaint, cut_short = watch(child, mark, allowed_s)
    except OSError as e:
        return Ended(127, 0, 'cannot start: %s' % e, True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return Ended(child.returncode, time.monotonic() - begin, complaint,
                 cut_short)
