"""All checks of a battery in one test: collecting each of hundreds costs more than running it."""


def run_battery(checks):
    """Run all named checks; tell every one that fails, and how."""
    failed = []
    for name, check in checks:
        try:
            check()
        except Exception as error:
            failed.append((f"{name}: {error}", error))
    if failed:
        raise AssertionError("\n\n".join(text for text, _ in failed)) from failed[0][1]
