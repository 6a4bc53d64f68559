"""`python -m dagrad.grammar` builds the parser's tables and the TextMate grammar anew, after a change of the language."""

from .build import write_tables
from .highlight import write_textmate

write_tables()
write_textmate()
