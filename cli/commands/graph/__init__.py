"""The graph that a backward pass goes through.

dagrad graph dump model.dg                     # one line a node
dagrad graph dump -e 'x*y + sin(x)' --at x=1 --at y=2 --format dot | dot -Tsvg > graph.svg
"""
