"""The test vectors for other people's verifiers: what stands there is what both of ours do."""

import msgspec
import pytest

from domain.hidden import canonical
from tests.audit import shapes, vectors
from tests.audit.in_node import needs_node, run

ANEW = "python -m tests.audit.vectors writes it anew, if it was meant to change"


@pytest.mark.parametrize("name", ["canonical", "chain", "words", "salts", "events", "decks"])
def test_the_vectors_are_what_the_domain_does(name: str):
    assert (vectors.FOLDER / f"{name}.json").read_bytes() == vectors.formatted(vectors.made()[name]), ANEW


def test_every_file_of_vectors_is_made():
    assert {path.stem for path in vectors.FOLDER.glob("*.json")} == set(vectors.made())


def test_the_fields_of_events_are_those_of_the_service():
    assert vectors.EVENTS_JS.read_text(encoding="utf-8") == shapes.written(), ANEW


@pytest.mark.parametrize("text", vectors.REFUSED)
def test_a_text_that_is_refused_is_not_canonical(text: str):
    try:
        again = canonical(msgspec.json.decode(text)).decode()
    except (ValueError, msgspec.DecodeError):
        return
    assert again != text


@needs_node
def test_the_javascript_verifier_meets_every_vector():
    done = run(vectors.FOLDER / "check.js")
    print(done.stdout.decode())
    assert (done.returncode, done.stderr) == (0, b"")
    assert int(done.stdout.split()[0]) > 130
