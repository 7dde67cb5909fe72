"""Campaigns of annotation, written for the tools that annotators work with, and their keys."""
