"""The inputs of the fuzzer: programs by the grammar, programs with a mistake, and bytes."""

from __future__ import annotations

from pathlib import Path
from random import Random

from .programs import Programs

SAMPLES = Path(__file__).parents[2] / "samples"
PIECES = [
    *"()[]{}+-*/%^@=<>!&|,;:.'\"#\\$?~`\n\t \r\0", "param ", "input ", "def ", "if ", "else ", "elif ", "for ", "in ", "while ", "return ",
    "no_grad ", "assert ", "import ", "and ", "or ", "not ", "true", "1e999", "1..2", "0x10", "2x", "…", "é", "\u0301", "\u202e", "\ufeff",
    "𝟏", "数", "''", '"{', '}"', "{x:", "**", "//", "==", "+=", "->", "__class__", ".grad", ".T", "x", "w", "f(", "10^9", "[[", "]]",
]  # fmt: skip


def texts() -> list[str]:
    """Programs that exist, to begin from."""
    return [path.read_text("utf-8") for path in sorted(SAMPLES.rglob("*.dg")) if path.stat().st_size < 2_000]


def generated(random: Random, known: list[str]) -> bytes:
    """A program that follows the grammar."""
    return Programs(random).text(3).encode()


def broken(random: Random, known: list[str]) -> bytes:
    """A program with a few pieces put in, taken out, or moved."""
    text = Programs(random).text(2) if random.random() < 0.7 else random.choice(known)
    for _ in range(random.randint(1, 4)):
        at, until = sorted(random.randint(0, len(text)) for _ in range(2))
        until = min(until, at + 8)
        match random.randint(0, 3):
            case 0:
                text = text[:at] + text[until:]
            case 1:
                text = text[:at] + text[at:until] * 2 + text[until:]
            case _:
                text = text[:at] + random.choice(PIECES) + text[at:]
    return text.encode("utf-8", "surrogatepass")


def soup(random: Random, known: list[str]) -> bytes:
    """Pieces of programs in any order."""
    return "".join(random.choice(PIECES) for _ in range(random.randint(1, 40))).encode("utf-8", "surrogatepass")


def raw(random: Random, known: list[str]) -> bytes:
    """Bytes, or a program in which some are changed."""
    data = bytearray(random.randbytes(random.randint(0, 60)) if random.random() < 0.5 else generated(random, known))
    for _ in range(random.randint(0, 5)):
        if data:
            data[random.randrange(len(data))] = random.randrange(256)
    return bytes(data)


KINDS = {"generated": generated, "broken": broken, "soup": soup, "raw": raw}


def input_of(kind: str, seed: int, known: list[str]) -> bytes:
    """The input with a number; the same one every time."""
    return KINDS[kind](Random(f"{kind} {seed}"), known)
