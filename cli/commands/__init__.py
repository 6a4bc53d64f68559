"""The commands: a file is a command, a folder a group of commands."""
