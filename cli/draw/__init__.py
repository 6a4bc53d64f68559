"""Small drawings: lines of blocks for a terminal, a chart as SVG."""
