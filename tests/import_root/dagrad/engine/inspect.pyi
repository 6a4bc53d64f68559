from engine.inspect import *
