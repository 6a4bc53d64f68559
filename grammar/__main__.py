"""`python -m dagrad.grammar` builds the parser's tables and the TextMate grammar anew, after a change of the language."""

from .highlight import write_textmate
from .parser import write_tables

write_tables()
write_textmate()
