"""The targets: every module here is found by itself."""
