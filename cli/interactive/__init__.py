"""The interactive session: reading lines, the commands that begin with a colon, completion."""
