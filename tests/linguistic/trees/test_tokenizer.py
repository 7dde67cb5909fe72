"""Words of texts: by hand, nothing lost, in time that is linear in the text."""

from collections import Counter
from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_mteval.linguistic.trees.tokenizer import treebank_words
from sklearn_mteval.linguistic.trees.treebanks.conllu import conllu_sentences

HOSTILE = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from(
            "aZ09 .,:;'’`\"-_/\\@#$%&()[]{}<>!?…°º\u200b\x00\x1f\x85\u2028\ud800\udfff"
        ),
    )
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The cat sleeps.", "The cat sleeps ."),
        ("It's John's, isn’t it?", "It 's John 's , is n’t it ?"),
        ("We'll, I'd, they've, I'm, you're", "We 'll , I 'd , they 've , I 'm , you 're"),
        ("I CAN'T; cannot: gonna!", "I CA N'T ; can not : gon na !"),
        ("the dogs' bowls", "the dogs ' bowls"),
        ("well-known re-elect Jean-Luc", "well - known re-elect Jean - Luc"),
        ("$5.50 costs 10% or #7", "$ 5.50 costs 10 % or #7"),
        ("Mr. Smith of the U.S. met J. Doe.", "Mr. Smith of the U.S. met J. Doe ."),
        ("It was plan B.", "It was plan B ."),
        ("(as in plan B.)", "( as in plan B. )"),
        ("so said j. doe", "so said j . doe"),
        ("2's and 's", "2 's and 's"),
        ("as Doe said (J.)", "as Doe said ( J. )"),
        ("so ... and so… yes -- no---", "so ... and so … yes -- no ---"),
        ("What?! Oh!!", "What ?! Oh !!"),
        ("(see [1], {2})", "( see [ 1 ] , { 2 } )"),
        ("in the 1990s, at 10:30, the 3rd of 1,000,000",
         "in the 1990s , at 10:30 , the 3rd of 1,000,000"),
        ("a 100km run, 1080p, 4chan, 1.5x and 1,000km at 9:30pm",
         "a 100km run , 1080p , 4chan , 1.5x and 1,000km at 9:30pm"),
        ("it ended in 1999.", "it ended in 1999 ."),
        ("write to a.b@c.org, see https://x.org/a?b=1.",
         "write to a.b@c.org , see https://x.org/a?b=1 ."),
        ("and/or 'quoted' \"double\"", "and / or ' quoted ' \" double \""),
        ("AT&T o'clock Secunia.com", "AT&T o'clock Secunia.com"),
        ("日本語 שלום 🙂", "日本語 שלום 🙂"),
        ("snake_case", "snake _ case"),
    ],
)  # fmt: skip
def test_by_hand(text, words):
    assert treebank_words(text) == words.split()


@pytest.mark.parametrize("text", ["", " ", "\n\t\u3000\u2028"])
def test_no_words(text):
    assert treebank_words(text) == []


@given(HOSTILE)
def test_nothing_is_lost_but_white_space(text):
    words = treebank_words(text)
    assert "".join(words) == "".join(text.split())
    assert all(words) and not any(character.isspace() for word in words for character in word)


@given(HOSTILE)
def test_pieces_between_spaces_are_split_alone(text):
    """Only the last piece depends on where it stands: a dot ends the sentence there."""
    alone = [treebank_words(f"{piece} x")[:-1] for piece in text.split()]
    assert treebank_words(f"{text} x")[:-1] == [word for words in alone for word in words]


SPLIT = [
    "The",
    "cat",
    "does",
    "n't",
    "'s",
    "sleep",
    "1,000",
    "3rd",
    "-",
    ",",
    ".",
    "(",
    ")",
    "%",
    "$",
    "Mr.",
    "U.S.",
    "100km",
    "it",
    "’ll",
    "…",
    "...",
    "?!",
    "www.x.org",
    "--",
    '"',
    "re-elect",
]


@given(st.lists(st.sampled_from(SPLIT)))
def test_words_that_are_split_already_stay(words):
    assert treebank_words(" ".join([*words, "end"])) == [*words, "end"]


@pytest.mark.parametrize("piece", ["a-", "1-", "é_", "1,", "1,1a,", "a@", "a'", "1:a@"])
def test_one_long_piece(piece):
    """Which was looked at again from each of its characters on: minutes, not a moment."""
    assert "".join(treebank_words(piece * 60_000)) == piece * 60_000


def spans(words):
    ends = accumulate((len("".join(word.split())) for word in words), initial=0)
    return Counter(pairwise(ends))


@pytest.mark.slow
def test_the_words_of_a_treebank(data_dir):
    paths = sorted((data_dir / "gum" / "dep").glob("*.conllu"))
    assert len(paths) == 108
    both = n_gold = n_found = 0
    for path in paths:
        for sentence in conllu_sentences(path):
            gold, found = spans(sentence.words), spans(treebank_words(sentence.text))
            both += (gold & found).total()
            n_gold, n_found = n_gold + gold.total(), n_found + found.total()
    assert 2 * both / (n_gold + n_found) > 0.99
