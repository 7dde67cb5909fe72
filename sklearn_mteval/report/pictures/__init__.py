"""Pictures that pages and notebooks show: SVG drawn from numbers, without a library of plots."""
