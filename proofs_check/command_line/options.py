"""The options: each is declared once, with its help, its check and its default.

The command line, :func:`proofs_check.verify` and `list` read the declarations.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Generic, Protocol, Self, TypeVar, overload

from proofs_check.engine.context import Settings, UsageError

T = TypeVar("T")

DEFAULT_LAW = "uniform(1, 4)"
MOST_DEPTHS = 20_000
MOST_STARTS = 10_000
BITS = (16, 10**8)
LONGEST_TIMEOUT = 10**6
MOST_JOBS = 1024


class Layered(Protocol):
    """What has depths: a theorem, or the simulation."""

    @property
    def name(self) -> str:
        """As on the command line."""
        ...

    @property
    def max_depth(self) -> int | None:
        """The largest depth accepted; None for any."""
        ...


@dataclass(frozen=True)
class Given:
    """The words given to an option, and for whom."""

    flag: str
    words: tuple[str, ...]
    layered: Layered | None = None

    @property
    def text(self) -> str:
        """The word given."""
        return self.words[0]

    def part(self, text: str) -> Given:
        """The same with a part of its words."""
        return replace(self, words=(text,))

    def wrong(self, why: str) -> UsageError:
        """The error that quotes the word."""
        return UsageError(f"{self.flag} {shown(self.text)}: {why}")


@dataclass
class Option(Generic[T]):
    """An option, declared as an attribute of a set of options; of such a set, its value.

    metavar:    what the help shows for its value, a word for each; any number where it ends in dots.
    help:       one sentence; whether it is repeatable, its default and what it implies are added.
    read:       its value from the words given.  Raises UsageError.
    default:    its value where it was not given.
    shown:      the default in the help, where that is not its text.
    repeatable: may be given several times.
    with_all:   makes sense for all theorems at once.
    implies:    the flag that is given with it.
    word_of:    a Python value as a word, where that is more than its text; may raise UsageError.
    """

    metavar: str
    help: str
    read: Callable[[Given], T]
    default: T
    shown: str | None = None
    repeatable: bool = False
    with_all: bool = True
    implies: str = ""
    word_of: Callable[[Any, str], str] | None = None
    name: str = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, options: None, owner: type) -> Option[T]: ...
    @overload
    def __get__(self, options: OptionSet, owner: type) -> T: ...
    def __get__(self, options: OptionSet | None, owner: type) -> Option[T] | T:
        if options is None:
            return self
        words = options.words.get(self.name)
        return self.default if words is None else self.read(Given(self.flag, words, options.layered))

    @property
    def flag(self) -> str:
        """As on the command line."""
        return flag_of(self.name)

    @property
    def explanation(self) -> str:
        """The help in full."""
        default = self._default_text() if self.shown is None else self.shown
        notes = ["repeatable"] * self.repeatable + [f"default: {default}"] * bool(default)
        text = self.help.removesuffix(".")
        text += f" ({'; '.join(notes)})" if notes else ""
        text += f"; implies {flag_of(self.implies)}" if self.implies else ""
        return text if text.endswith("?") else f"{text}."

    def _default_text(self) -> str:
        # 0 is a default to be shown, though it equals False.
        if self.default is None or self.default is False:
            return ""
        return " ".join(as_texts(self.default if self.repeatable else [self.default]))

    def words_of(self, value: Any) -> tuple[str, ...] | None:
        """A Python value as the words of the command line, none for a flag; None if it is not given."""
        if not self.metavar:
            # "no" is true in Python; True may be NumPy's.
            if isinstance(value, str) or str(value) not in {"None", "True", "False", "1", "0"}:
                raise UsageError(f"{self.flag}: neither True nor False; give one of them")
            return () if value else None
        several = self.repeatable or " " in self.metavar
        if several and not self.repeatable and isinstance(value, list | tuple) and not value:
            raise UsageError(f"{self.flag}: empty; give {self.metavar}")
        if self.word_of is not None and value is not None:
            values = value if several and isinstance(value, list | tuple) else [value]
            return tuple(self.word_of(item, self.name) for item in values) or None
        if several:
            return as_texts(value) or None
        text = as_text(value)
        return None if text is None else (text,)


class OptionSet:
    """Declared options, and what was given of them, as text or Python values.

    An attribute is the checked value of its option, and raises UsageError.
    """

    def __init__(self, **given: Any) -> None:
        known = {option.name: option for option in self.declared()}
        if unknown := given.keys() - known.keys():
            raise TypeError(f"no such option: {', '.join(sorted(unknown))}")
        self.layered: Layered | None = None
        self.words: dict[str, tuple[str, ...]] = {}
        for option in known.values():
            words = option.words_of(given.get(option.name))
            if words is not None:
                self.words[option.name] = words
                if option.implies:
                    self.words[option.implies] = ()

    @classmethod
    def declared(cls) -> list[Option[Any]]:
        """The options, those of base classes first."""
        bodies = [vars(base).items() for base in reversed(cls.__mro__)]
        found = {name: option for body in bodies for name, option in body if isinstance(option, Option)}
        return list(found.values())

    def given(self, name: str) -> bool:
        """Whether this option was given."""
        return name in self.words

    def of(self, layered: Layered) -> Self:
        """The same for a theorem, whose name and depth limit checks may need."""
        made = type(self)()
        made.words, made.layered = self.words, layered
        return made

    def command(self, theorem: str) -> list[str]:
        """The command line with the same meaning."""
        line = [theorem]
        for option in self.declared():
            words = self.words.get(option.name)
            if words is not None and option.repeatable:
                line += [word for text in words for word in (option.flag, text)]
            elif words is not None:
                line += [option.flag, *words]
        return line


def flag(help: str) -> Option[bool]:
    """An option without a value."""
    return Option("", help, lambda given: True, False)


def as_text(value: Any) -> str | None:
    """A Python value as the command line would have it: numbers, sequences and ranges of them, or text."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, range) and value.step == 1 and len(value) > 0:
        return f"{value[0]}:{value[-1]}"
    if _several(value):
        return ",".join(str(item) for item in value)
    return str(value)


def _several(value: Any) -> bool:
    """Whether there is something to go through; an array without an axis says so, but is one number."""
    return isinstance(value, Iterable) and getattr(value, "ndim", 1) > 0


def as_texts(value: Any) -> tuple[str, ...]:
    """One text or several values (for an option that may be repeated) as texts."""
    if value is None:
        return ()
    items = [value] if isinstance(value, str) else value
    if not _several(items):
        items = [items]
    return tuple(text for text in map(as_text, items) if text is not None)


def flag_of(name: str) -> str:
    """The option of this name as on the command line."""
    return "--" + name.replace("_", "-")


def shown(text: str) -> str:
    """The user's text, quoted, on one line, no longer than is useful."""
    text = text.strip()
    return ascii(text if len(text) <= 60 else text[:57] + "...")


# Checks: from the words given to the value.


def as_given(given: Given) -> str:
    """The word itself."""
    return given.text


def all_given(given: Given) -> tuple[str, ...]:
    """The words themselves."""
    return given.words


def each(read: Callable[[Given], T]) -> Callable[[Given], tuple[T, ...]]:
    """The check of every word of an option that may be repeated."""
    return lambda given: tuple(read(given.part(word)) for word in given.words)


def whole(low: int, high: int, hint: str = "") -> Callable[[Given], int]:
    """A whole number within limits."""

    def read(given: Given) -> int:
        text = given.text.strip()
        if not re.fullmatch(r"[+-]?\d{1,20}", text, re.ASCII) or not low <= int(text) <= high:
            raise given.wrong(f"not a whole number from {low} to {high}{hint}")
        return int(text)

    return read


def one_of(known: Sequence[str]) -> Callable[[Given], str]:
    """One of the words known."""

    def read(given: Given) -> str:
        if (name := given.text.strip()) not in known:
            raise given.wrong(f"unknown; one of {', '.join(known)}")
        return name

    return read


def path(*, document: bool = False, kind: str = "", endings: Sequence[str] = ()) -> Callable[[Given], str]:
    """Where to write: of a `document` also `-`, standard output; of some `kind` with one of the endings."""

    def read(given: Given) -> str:
        text = given.text
        if not text:
            raise UsageError(f"{given.flag} '': no path; give that of a file")
        if any("\ud800" <= character <= "\udfff" for character in text):
            # The result quotes the command line, and JSON is UTF-8.
            raise UsageError(f"{given.flag} {text!a}: not UTF-8; give another name")
        if text == "-" and not document:
            raise UsageError(f"{given.flag} -: only --json writes to standard output; give a path")
        if endings and os.path.splitext(text)[1].lower() not in endings:
            raise UsageError(f"{given.flag} {text!a}: {kind} ends in {' or '.join(endings)}")
        return text

    return read


def _number(given: Given) -> Fraction:
    from numerics.laws import LawError
    from numerics.laws.syntax import parse_number

    try:
        return parse_number(given.text)
    except LawError as error:
        raise UsageError(f"{given.flag}: {error}") from error


def _law_word(value: Any, name: str) -> str:
    """A law as text; one in Python by `numerics.laws.from_python`."""
    from numerics.laws import LawError
    from numerics.laws.from_python import law_text

    try:
        return law_text(value, "norm" if name == "norm" else "squared_norm")
    except LawError as error:
        raise UsageError(f"{flag_of(name)}: {error}") from error


def _epsilon(given: Given) -> Fraction:
    """A relative accuracy: from 1 on the band about alpha* holds 0, and says nothing."""
    value = _number(given)
    if not 0 < value < 1:
        raise given.wrong("not between 0 and 1; give a number such as 1/100")
    return value


def read_depths(given: Given) -> tuple[int, ...]:
    """``1,2,8``, ``1:64`` or a mixture: distinct depths in increasing order."""
    layered, found = given.layered, set[int]()
    most = None if layered is None else layered.max_depth
    up_to = "" if layered is None or most is None else f"; {layered.name} goes to depth {most}"
    for text in given.text.split(","):
        part = given.part(text)
        match = re.fullmatch(r"([+-]?\d{1,9})(?::([+-]?\d{1,9}))?", text.strip(), re.ASCII)
        if match is None:
            if re.fullmatch(r"[\d:]{10,}", text.strip(), re.ASCII):
                raise part.wrong(f"far too deep{up_to}")
            raise part.wrong("not a depth; write 1,2,8 or 1:64")
        first = int(match[1])
        last = first if match[2] is None else int(match[2])
        if min(first, last) < 1:
            raise part.wrong("a depth is at least 1")
        if first > last:
            raise part.wrong(f"runs backwards; write {last}:{first}")
        if most is not None and last > most:
            raise part.wrong(f"too deep{up_to}")
        if last - first >= MOST_DEPTHS:
            raise part.wrong(f"too many depths; give at most {MOST_DEPTHS}")
        found.update(range(first, last + 1))
    return tuple(sorted(found))


def read_seed(given: Given) -> int:
    """A number from 0 to 2^64 - 1, a fresh one for ``random``."""
    if given.text == "random":
        import secrets

        return secrets.randbelow(2**32)
    return whole(0, 2**64 - 1, "; or write random")(given)


def _seconds(given: Given) -> float:
    try:
        value = float(given.text)
    except ValueError:
        value = math.nan
    if not 0 < value <= LONGEST_TIMEOUT:
        raise given.wrong(f"not a number of seconds above 0 and up to {LONGEST_TIMEOUT}")
    return value


def _start(given: Given) -> tuple[Fraction, Fraction]:
    parts = given.text.split(",")
    if len(parts) != 2:
        raise given.wrong("not a pair; write ALPHA,BETA such as 0.3,-0.2")
    return _number(given.part(parts[0])), _number(given.part(parts[1]))


def _basin(given: Given) -> tuple[int, int]:
    parts = given.text.split(",")
    if len(parts) != 2:
        raise given.wrong("not a grid; write NA,NB such as 20,20")
    rows, columns = each(whole(1, MOST_STARTS))(replace(given, words=tuple(parts)))
    if rows * columns > MOST_STARTS:
        raise given.wrong(f"too many starts; at most {MOST_STARTS} in all")
    return rows, columns


# The declarations, in the order of the help.


class LawOptions(OptionSet):
    """The law of s, in one of its forms."""

    squared_norm = Option("LAW", "Law of ||m||^2.", as_given, DEFAULT_LAW, word_of=_law_word)
    norm = Option[str | None]("LAW", "Law of ||m|| instead.", as_given, None, word_of=_law_word)
    modalities = Option[tuple[str, ...]](
        "LAW LAW ...", "Independent laws of ||v_1||^2, ||v_2||^2, ...", all_given, (), word_of=_law_word
    )
    factor = Option[tuple[str, ...]](
        "LAW",
        "Law of an eigenvalue of M^T M, one for each latent factor.",
        all_given,
        (),
        repeatable=True,
        word_of=_law_word,
    )


class Options(LawOptions):
    """The options of a run: those of `verify`."""

    depth = Option[tuple[int, ...]]("SPEC", "Depths: 1,2,8 or 1:64.", read_depths, ())
    epsilon = Option(
        "E", "Relative accuracy, below 1, of statements for all T >= T0.", _epsilon, Settings.epsilon
    )
    candidate = Option[Fraction | None]("A", "Does alpha_T tend to A?", _number, None, with_all=False)
    claim = Option[tuple[str, ...]](
        "ID", "Only this claim and what it needs.", all_given, (), repeatable=True
    )
    start = Option[tuple[tuple[Fraction, Fraction], ...]](
        "A,B", "A further start of the flow.", each(_start), (), repeatable=True, with_all=False
    )
    basin = Option[tuple[int, int] | None]("NA,NB", "A grid of starts.", _basin, None, with_all=False)
    falsify = flag("Run the false variants too.")
    statistical = flag("Run the claims that sample too.")
    seed = Option("N", "Seed of every random part, or random.", read_seed, Settings.seed)
    max_bits = Option("N", "Limit of the working precision in bits.", whole(*BITS), Settings.max_bits)
    timeout = Option[float | None]("S", "Limit for a claim, in seconds.", _seconds, None)
    jobs = Option("N", "Processes.", whole(1, MOST_JOBS), 1)
