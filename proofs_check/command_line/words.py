"""The words of a command line, before Typer reads them."""

from __future__ import annotations

from proofs_check.engine.plan import UsageError


def one_by_one(args: list[str], flag: str) -> list[str]:
    """The words that follow a flag, up to the next one, each with a flag of its own."""
    words, found, inside, times = list(args), list[str](), False, 0
    for word in words:
        if word == flag or word.startswith(f"{flag}="):
            inside, times = True, times + 1
            found += [word] if "=" in word else []
        elif word.startswith("--"):
            inside = False
            found.append(word)
        else:
            found += [flag, word] if inside else [word]
    if times > 1:
        raise UsageError(f"{flag}: given {times} times; give it once")
    # Without any word it stands where its value should; Typer says so.
    return found if flag in found or not times else [*found, flag]
