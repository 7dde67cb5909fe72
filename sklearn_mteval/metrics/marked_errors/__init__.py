"""Errors that annotators marked: does a metric mark the same, and which translations have none?"""
