"""Judgements of campaigns, in their own files: rankings, MQM, ESA, metrics tasks."""
