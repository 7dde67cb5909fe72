from plot_fixtures import ax, nothing_left_behind, whiskers  # noqa: F401
