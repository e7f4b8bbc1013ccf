"""Runs commands with a limit on processor time, which bounds work: a busy machine only makes it last longer."""
import os
import resource
import signal
import subprocess
import tempfile


def run_limited(command, seconds):
    """Its output, its exit code or None if it took more processor time than it may, and how much it took."""
    seconds = max(1, int(seconds))
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        process = subprocess.Popen([str(word) for word in command], stdout=output, stderr=subprocess.STDOUT)
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (seconds, seconds + 5))
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        took = used.ru_utime + used.ru_stime
        over = process.returncode in (-signal.SIGXCPU, -signal.SIGKILL) and took >= seconds - 1
        output.seek(0)
        return output.read(), None if over else process.returncode, took
