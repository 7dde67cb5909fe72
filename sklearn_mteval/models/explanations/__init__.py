"""Why a model prefers one translation to another."""
