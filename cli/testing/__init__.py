"""Running programs as tests: each must end well and print what was recorded beside it."""
