"""Results as text, TSV, JSON, LaTeX and Markdown."""
