"""Makes the completion scripts from the commands themselves: `python -m dagrad.cli.completion.generate`.

A test compares the scripts with what this makes, so that a new option cannot be forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import SHELLS


@dataclass
class Entry:
    """What can follow one command path, such as `graph dump`."""

    path: str
    about: str
    commands: dict[str, str] = field(default_factory=dict)  # name → what it does
    options: dict[str, str] = field(default_factory=dict)  # --name → what it does
    choices: dict[str, list[str]] = field(default_factory=dict)  # --name or argument → its values


def entries() -> list[Entry]:
    """Every command path with its options, read from the parser that the command line uses."""
    from ..app import Session
    from ..tree import build

    return list(_walk(build([], Session([])), ""))


def _walk(command: Any, path: str) -> Iterator[Entry]:
    subcommands = getattr(command, "commands", {})
    entry = Entry(path, about(command), {name: about(sub) for name, sub in subcommands.items()})
    for parameter in command.params:
        values = list(getattr(parameter.type, "choices", []))
        if parameter.param_type_name == "argument":
            entry.choices |= {"": values} if values else {}
            continue
        for name in parameter.opts:
            entry.options[name] = parameter.help or ""
            entry.choices |= {name: values} if values else {}
    entry.options["--help"] = "Show the help and exit."
    yield entry
    for name, sub in subcommands.items():
        yield from _walk(sub, f"{path} {name}".strip())


def about(command: Any) -> str:
    return str(command.help or "").strip().split("\n")[0]


def bash(found: list[Entry]) -> str:
    paths = "|".join(f'"{entry.path}"' for entry in found if entry.path)
    cases = []
    for entry in found:
        cases += [
            f'        "{entry.path}:{option}") words="{" ".join(map(str, values))}" ;;'
            for option, values in entry.choices.items()
            if option
        ]
    for entry in found:
        words = [*entry.commands, *map(str, entry.choices.get("", []))]
        cases.append(f'        "{entry.path}:"*) words="{" ".join([*words, *entry.options])}"; plain="{" ".join(words)}" ;;')
    return BASH.format(paths=paths, cases="\n".join(cases))


def zsh(found: list[Entry]) -> str:
    return ZSH.format(bash=bash(found))


def fish(found: list[Entry]) -> str:
    lines = ["# Completion of dagrad for fish: dagrad completion fish > ~/.config/fish/completions/dagrad.fish"]
    for entry in found:
        words = entry.path.split()
        seen = " ; and ".join(f"__fish_seen_subcommand_from {word}" for word in words) or "__fish_use_subcommand"
        if entry.commands and words:
            seen += f" ; and not __fish_seen_subcommand_from {' '.join(entry.commands)}"
        for name, text in entry.commands.items():
            lines.append(f"complete -c dagrad -n '{seen}' -a {name} -d '{escaped(text)}'")
        lines += [f"complete -c dagrad -n '{seen}' -a {value}" for value in entry.choices.get("", [])]
        for option, text in entry.options.items():
            form = f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
            values = f" -x -a '{' '.join(map(str, entry.choices[option]))}'" if option in entry.choices else ""
            lines.append(f"complete -c dagrad -n '{seen}' {form}{values} -d '{escaped(text)}'")
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")


BASH = """\
# Completion of dagrad for bash: dagrad completion bash > ~/.local/share/bash-completion/completions/dagrad
_dagrad() {{
    local path="" words="" plain="" word i
    local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
    for ((i = 1; i < COMP_CWORD; i++)); do
        word="${{path:+$path }}${{COMP_WORDS[i]}}"
        case "$word" in
        {paths}) path="$word" ;;
        *) break ;;
        esac
    done
    case "$path:$previous" in
{cases}
    esac
    [[ "$current" == -* || "$previous" == -* ]] || words="$plain"
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _dagrad dagrad
"""

ZSH = """\
#compdef dagrad
# Completion of dagrad for zsh: dagrad completion zsh > "${{fpath[1]}}/_dagrad"
autoload -U +X bashcompinit && bashcompinit
{bash}"""

MAKERS = {"bash": bash, "zsh": zsh, "fish": fish}


def main() -> None:
    found = entries()
    for shell in SHELLS:
        Path(__file__).with_name(f"dagrad.{shell}").write_text(MAKERS[shell](found), "utf-8")


if __name__ == "__main__":
    main()
