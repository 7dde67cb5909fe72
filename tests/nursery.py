"""A process that bears others, to be killed: what these need is imported once, before they fork."""

import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from contextlib import contextmanager

_CODE = """
import os, sys
{imports}
def work(*words):
{work}
print("born", flush=True)
for line in sys.stdin:
    child = os.fork()
    if not child:
        print(os.getpid(), flush=True)
        work(*line.split())
        os._exit(0)
    os.waitpid(child, 0)
    print("\\ndead", flush=True)
"""


@contextmanager
def nursery(imports, work):
    """Give a function that starts a child, of words that become the ``words`` of its work.

    The child prints its lines with ``flush=True``. ``begin(*words, kill=(n, seconds))`` kills it at
    random, after up to n lines and then up to so many seconds: a busy machine makes neither too
    few. It returns the whole lines that the child had written by its end.
    """
    code = _CODE.format(imports=imports.strip(), work=textwrap.indent(work.strip(), "    "))
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-W", "ignore", "-c", code], **pipes) as process:
        assert process.stdout.readline() == "born\n"
        rng = random.Random(0)

        def begin(*words, kill=None):
            print(*words, file=process.stdin, flush=True)
            child = int(process.stdout.readline())
            text = ""
            if kill is not None:
                n_lines, seconds = kill
                text = "".join(process.stdout.readline() for _ in range(rng.randint(0, n_lines)))
                time.sleep(rng.uniform(0, seconds))
                os.kill(child, signal.SIGKILL)
            text += "".join(iter(process.stdout.readline, "dead\n"))
            return text[:-1].split("\n")[:-1]

        try:
            yield begin
        finally:
            process.kill()
