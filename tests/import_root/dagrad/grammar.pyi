from grammar import *
from grammar import cells as cells  # modules that are loaded when they are first asked for
from grammar import words as words
