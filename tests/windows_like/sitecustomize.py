"""A process that has this folder on PYTHONPATH is on Windows, as far as this package can see.

The package's modules get views of the standard library's, without what Windows lacks; libraries,
which have their own ways there, see the system as it is. No process forks. In the folder that
WINDOWS_LIKE names, files have names that Windows allows, and none is replaced while it is open.
"""

import builtins
import errno
import os
import re
import sys
import types

PACKAGE = "sklearn_mteval"
# What other modules have elsewhere only, as Python's documentation and typeshed say; then modules.
_LACKING = """
os: O_CLOEXEC O_DIRECTORY O_DSYNC O_NOCTTY O_NOFOLLOW O_NONBLOCK O_SYNC WNOHANG chown chroot confstr
os: fchmod fchown fork forkpty getegid geteuid getgid getgroups getloadavg getpgid getpgrp killpg
os: getpriority getresuid getsid getuid initgroups lchown lockf mkfifo mknod nice openpty pathconf
os: pipe2 posix_spawn posix_spawnp pread preadv pwrite readv sched_getaffinity sched_setaffinity
os: sched_yield sendfile set_blocking setegid seteuid setgid setpgid setpriority setregid setsid
os: setuid statvfs sync sysconf tcgetpgrp uname wait wait3 wait4 waitid writev
select: epoll poll
signal: ITIMER_REAL SIGALRM SIGBUS SIGCHLD SIGCONT SIGHUP SIGIO SIGKILL SIGPIPE SIGPROF SIGQUIT
signal: SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGUSR1 SIGUSR2 SIGWINCH SIG_BLOCK SIG_SETMASK alarm pause
signal: getitimer pthread_kill pthread_sigmask setitimer siginterrupt sigpending sigtimedwait
signal: sigwait sigwaitinfo
socket: AF_UNIX
time: tzset
modules: crypt fcntl grp nis posix pty pwd resource syslog termios tty
"""
NAMES = {}
for _line in _LACKING.strip().splitlines():
    _module, *_names = _line.split()
    NAMES.setdefault(_module.removesuffix(":"), []).extend(_names)
MODULES = NAMES.pop("modules")
RESERVED = re.compile(
    r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?|.*[. ]|.*[<>:\"|?*\\\x00-\x1f].*", re.I | re.S
)
_NT = {"name": "nt", "linesep": "\r\n"}
_views, _import = {}, builtins.__import__


def forbidden(name):
    """Tell whether Windows has no file of a name."""
    return RESERVED.fullmatch(name) is not None or len(name) > 255


def _windows_import(name, globals=None, locals=None, fromlist=(), level=0):
    asks = globals or {}
    asks = asks.get("__package__") or asks.get("__name__") or ""
    if level or asks.partition(".")[0] != PACKAGE:
        return _import(name, globals, locals, fromlist, level)
    if name in MODULES:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    module = _import(name, globals, locals, fromlist, level)
    return _view(module) if module.__name__ in NAMES else module


def _view(module):
    """Make a module that lacks what Windows lacks."""
    name = module.__name__
    if name not in _views:
        view = _views[name] = types.ModuleType(name)
        vars(view).update({k: v for k, v in vars(module).items() if k not in NAMES[name]})
        vars(view).update(_NT if name == "os" else {})
    return _views[name]


def _no_fork(*_):
    raise RuntimeError("Windows has no fork.")


def _watch(event, arguments):
    """Raise, as Windows does, for names of files, and for a change of what is open here."""
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT
    if event == "os.mkdir" or (event == "open" and arguments[2] & writing):
        _check_name(arguments[0])
    elif event == "os.rename":
        _check_name(arguments[1])
        _check_closed(arguments[0])
        _check_closed(arguments[1])
    elif event == "os.remove":
        _check_closed(arguments[0])


def _within(path):
    """Return the absolute path of what is in the folder that is watched, else None."""
    if isinstance(path, int | None):
        return None
    path = os.path.abspath(os.fsdecode(path))
    return path if path.startswith(os.path.join(FOLDER, "")) else None


def _check_name(path):
    path = _within(path)
    if path is None:
        return
    folder, name = os.path.split(path)
    names = os.listdir(folder) if os.path.isdir(folder) else []
    other = name not in names and name.lower() in map(str.lower, names)
    if forbidden(name) or other:
        raise OSError(errno.EINVAL, "Windows has no such name, or another file has it", path)


def _check_closed(path):
    path = _within(path)
    for handle in os.listdir("/proc/self/fd") if path else ():
        try:
            there = os.readlink(f"/proc/self/fd/{handle}")
        except OSError:  # that of the list itself
            continue
        if there == path:
            raise PermissionError(errno.EACCES, "a process has the file open", path)


builtins.__import__ = _windows_import
os.fork = os.forkpty = _no_fork
sys.stdout.reconfigure(encoding="cp1252", newline="\r\n")
sys.stderr.reconfigure(encoding="cp1252", newline="\r\n")
if sys.flags.warn_default_encoding:
    import warnings

    warnings.simplefilter("ignore", EncodingWarning)  # of libraries
    warnings.filterwarnings("error", category=EncodingWarning, module=PACKAGE)
if FOLDER := os.environ.get("WINDOWS_LIKE"):
    FOLDER = os.path.realpath(FOLDER)
    sys.addaudithook(_watch)
