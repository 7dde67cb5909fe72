"""Test sets of WMT's shared task of automatic evaluation, and what is submitted to it."""
