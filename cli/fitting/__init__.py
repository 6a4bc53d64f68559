"""Fitting a program or an expression to the columns of a data file."""
