"""The formal library: its index, its axioms, and that nothing in it is left unproved."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from proofs_check.command_line.commands import main
from proofs_check.formal.coq import LIBRARY, PERMITTED, DoesNotCompile
from proofs_check.formal.index import index, index_version
from proofs_check.formal.library import (
    ask,
    axioms,
    compiled,
    names,
    required,
    sources,
    theorem_names,
    theorems,
    without_comments,
)

ROOT = Path(__file__).parents[3]
REFRESH = "`python -m proofs_check.formal` writes the index again"


def test_the_index_names_the_theorems_of_the_sources():
    assert sorted(names(sources())) == [each.name for each in index()], REFRESH


def test_the_project_file_lists_each_file_after_those_it_imports():
    listed = (ROOT / "theory" / "formal" / "_CoqProject").read_text().split()[3:]
    texts = sources()
    assert sorted(listed) == sorted(f"{name}.v" for name in texts)
    for position, file in enumerate(listed):
        needs = required(texts[file.removesuffix(".v")]) & texts.keys()
        assert {f"{name}.v" for name in needs} <= set(listed[:position]), file


def test_the_index_is_what_coq_says(coq, library):
    said, kept = theorems(coq, library, sources()), index()
    if coq.version == index_version():
        assert sorted(said, key=lambda each: each.name) == kept, REFRESH
    assert {each.name: each.assumes for each in said} == {each.name: each.assumes for each in kept}, REFRESH


def test_no_theorem_rests_on_more_than_the_axioms_of_the_reals():
    assert {axiom for each in index() for axiom in each.assumes} <= PERMITTED


@pytest.mark.parametrize(
    "word", ["Admitted", "admit", "Axiom", "Parameter", "Conjecture", "Unset Guard Checking"]
)
def test_nothing_is_left_unproved(word):
    found = [name for name, text in sources().items() if re.search(rf"\b{word}\b", without_comments(text))]
    assert found == []


def test_the_independent_checker_accepts_the_library(coq, library):
    checker = shutil.which("coqchk")
    assert checker is not None
    modules = [f"{LIBRARY}.{name}" for name in sources()]
    words = [checker, "-silent", "-o", "-Q", str(library), LIBRARY]
    words += [word for module in modules for word in ("-norec", module)]
    finished = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)
    assert finished.returncode == 0, finished.stderr
    said = finished.stdout + finished.stderr
    assert f"{LIBRARY}." not in said.partition("* Axioms:")[2]
    assert said.count("<none>") == 3


def test_an_unproved_theorem_and_a_strange_axiom_are_seen(coq, library):
    first = (
        "Theorem cheat : 1 = 2. Admitted. "
        "Axiom strange : 1 = 3. Lemma used : 1 = 3. Proof. exact strange. Qed."
    )
    asked = [f"Print Assumptions {name}." for name in ("cheat", "used", "Rplus_comm")]
    answers = [axioms(answer) for answer in ask(coq, asked, sources(), (library, LIBRARY), first=first)]
    assert answers[:2] == [("cheat",), ("strange",)]
    assert set(answers[2]) <= PERMITTED


def test_comments_nest_and_name_nothing():
    text = "(* Theorem a. (* Theorem b. *) Theorem c. *)\nTheorem d : 1 = 1.\n  Theorem e' :\nLemma f."
    assert theorem_names(text) == ["d", "e'"]
    assert required(
        "From Formal Require Import Law\n  FiniteLaw. (* From Formal Require Import Flow. *)"
    ) == {
        "Law",
        "FiniteLaw",
    }


def test_the_library_is_compiled_once_and_whole_or_not_at_all(coq, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    good = {"One": "Theorem one : 1 = 1. Proof. reflexivity. Qed."}
    told = []
    folder = compiled(coq, good, told.append)
    assert (folder / "One.vo").is_file()
    assert compiled(coq, good, told.append) == folder
    assert told == ["One"]
    bad = good | {"Two": "From Formal Require Import One.\nTheorem two : 1 = 2.\nProof. reflexivity. Qed."}
    with pytest.raises(DoesNotCompile, match=r"line 3 of Two\.v: Unable to unify"):
        compiled(coq, bad, told.append)
    assert list((tmp_path / "proofs-check" / "formal").iterdir()) == [folder]


def test_the_command_prints_each_theorem_with_its_axioms(coq, library, capsys):
    assert main(["formal"]) == 0
    out = capsys.readouterr().out
    assert "OneParameterLimit.limit:\n  forall (P : law) (eps : R), 0 < eps -> exists T0" in out
    assert out.count("rests on sig_forall_dec") == len(index())
    assert f"{len(index())} theorems in {len(sources())} files, Coq {coq.version}" in out
