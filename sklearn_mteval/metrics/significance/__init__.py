"""Intervals, and tests of differences between metrics, at segment level."""
