from grammar import *
