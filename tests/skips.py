"""Which tests were skipped for a reason that CI does not accept."""

import os
from collections import Counter
from pathlib import Path

ALLOWED = Path(__file__).with_name("allowed_skips.txt")


def allowed_reasons():
    lines = map(str.strip, ALLOWED.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def unexpected_skips(reasons, allowed):
    """Count the reasons that hold none of the allowed ones."""
    return Counter(reason for reason in reasons if not any(part in reason for part in allowed))


def check_skips(session):
    """Fail a session, where CHECK_SKIPS is set, for skips that are not allowed."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if not os.environ.get("CHECK_SKIPS") or reporter is None:
        return
    reports = reporter.stats.get("skipped", [])
    reasons = [r.longrepr[2] if isinstance(r.longrepr, tuple) else str(r.longrepr) for r in reports]
    found = unexpected_skips(reasons, allowed_reasons())
    reporter.ensure_newline()
    for reason, n in found.items():
        reporter.write_line(f"{n} skipped, but not allowed by {ALLOWED.name}: {reason}", red=True)
    if found:
        session.exitstatus = 1
