"""Running a program or an expression at many points: here, in several processes, or on a cluster."""
