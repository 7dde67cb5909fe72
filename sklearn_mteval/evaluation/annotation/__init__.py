"""Campaigns of annotation: which translations who judges, with checks of annotators among them."""
