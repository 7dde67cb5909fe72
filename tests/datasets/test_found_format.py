"""Formats of judgements are told where they are certain, and only there."""

import os

import pytest

from sklearn_mteval.datasets.found_format import find_format
from sklearn_mteval.exceptions import DataFileError

MQM = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
FILES = {
    "mqm": MQM + "\nA\td\t1\t1\tr\ts\tt\tNo-error\tNo-error\n",
    "esa": "j1,A,3,TGT,eng,ces,80,doc,False,[],1.0,2.0\n",
    "pearmut": '{"user_id": "u", "item_i": 1, "item": [], "annotation": []}\n',
    "own": "segment,system,rank\n1,A,1\n",
}
OTHERS = ["", "\n", '{"segment": 1}', "{", "[1]", "{" * 9000, "\ufeffsegment\tsystem", "j,A,3,xyz,"]


@pytest.mark.parametrize("format", FILES)
def test_files(format, tmp_path):
    (tmp_path / "file").write_text(FILES[format])
    assert find_format(tmp_path / "file") == format
    (tmp_path / "file").write_text("\ufeff" + FILES[format].replace("\n", "\r\n"), newline="")
    assert find_format(str(tmp_path / "file")) == format  # with a byte order mark, CRLF


@pytest.mark.parametrize("text", OTHERS)
def test_what_is_read_as_a_table_and_refused_there(text, tmp_path):
    (tmp_path / "file").write_text(text)
    assert find_format(tmp_path / "file") == "own"
    assert find_format(tmp_path / "none") == find_format("-") == find_format("a\0b") == "own"


def test_folders(tmp_path):
    with pytest.raises(DataFileError, match=r"either rankings/ \(WMT\) or human-scores/"):
        find_format(tmp_path)
    (tmp_path / "rankings").mkdir()
    assert find_format(tmp_path) == "wmt"
    (tmp_path / "human-scores").mkdir()
    with pytest.raises(DataFileError, match="--format wmt or mtme"):
        find_format(tmp_path)
    (tmp_path / "rankings").rmdir()
    assert find_format(tmp_path) == "mtme"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_a_pipe_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert find_format(tmp_path / "pipe") == "own"


@pytest.mark.slow
def test_real_data(data_dir):
    found = {path: find_format(data_dir / path) for path in (
        "wmt12", "wmt15", "wmt23", "mqm/mqm_ted_zhen.tsv", "wmt24/esa/esa_generalMT2024_wave2.csv"
    )}  # fmt: skip
    assert list(found.values()) == ["wmt", "wmt", "mtme", "mqm", "esa"]
