"""`python -m dagrad.grammar` builds the parser's tables anew, after a change of dagrad.lark."""

from .parser import write_tables

write_tables()
