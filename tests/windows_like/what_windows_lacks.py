"""What Windows lacks, and which names of files it forbids."""

import re

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


def forbidden(name):
    """Tell whether Windows has no file of a name."""
    return RESERVED.fullmatch(name) is not None or len(name) > 255
