"""The cache of records: what is damaged is refused by name."""

import pytest

from sklearn_mteval.text.record_cache import RecordCache


def test_a_schema_that_is_no_text_is_an_error_of_ours(tmp_path):
    with RecordCache(tmp_path / "cache", "identity") as cache:
        cache.put({"a": b"record"})
    content = (tmp_path / "cache").read_bytes()
    assert content.count(b"records (text BLOB") == 1
    (tmp_path / "cache").write_bytes(
        content.replace(b"records (text BLOB", b"records \xeftext BLOB")
    )
    with (
        pytest.raises(ValueError, match=r"cache: .*cache cannot be used"),
        RecordCache(tmp_path / "cache", "identity") as cache,
    ):
        cache.get("a")
