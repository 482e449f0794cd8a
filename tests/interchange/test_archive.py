"""A zip archive is read within limits that hold for what is unpacked, and no archive raises anything but Unusable."""

import io
import random
import struct
import zipfile

import pytest

from sessions_app.interchange.archive import Archive, Limits, Unusable
from tests.interchange import damage
from tests.interchange.archives import archive, patched
from tests.interchange.samples import of

TWO = {"a.json": b'{"a": 1}', "b/c.json": b"[2]" * 5000}


def read(content, limits=None):
    """What each member unpacks to, or why not."""
    opened = Archive(of(content), limits)
    return {member.name: unpack(opened, member) for member in opened.members}, opened.fault


def unpack(opened, member):
    try:
        with opened.unpacked(member) as source:
            return source.open().read()
    except Unusable as e:
        return str(e)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_members_are_unpacked_as_they_were_packed(method):
    assert read(archive(TWO, method)) == (TWO, "")


def test_a_large_member_is_unpacked_piece_by_piece():
    content = random.Random(1).randbytes(3_000_000)
    assert read(archive({"a": content})) == ({"a": content}, "")


def test_an_archive_that_was_written_as_a_stream_is_read():
    class Stream(io.RawIOBase):
        def __init__(self):
            self.content = b""

        def writable(self):
            return True

        def write(self, data):
            self.content += bytes(data)
            return len(data)

    stream = Stream()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("a.json", TWO["a.json"])
    assert read(stream.content) == ({"a.json": TWO["a.json"]}, "")
    cut = stream.content[: stream.content.index(b"PK\x01\x02")]
    assert read(cut)[0] == {"a.json": TWO["a.json"]}


def test_the_directory_of_a_large_archive_is_read(monkeypatch):
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 0)
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 0)
    assert read(archive(TWO)) == (TWO, "")


def test_a_bomb_is_stopped_by_what_it_unpacks_to():
    bomb = archive({"bomb": b"\0" * 5_000_000, "good": b"x"})
    members, fault = read(bomb, Limits(ratio=100, ratio_from=1_000_000))
    assert (members, fault) == ({"bomb": "unpacks to over 100 times its size", "good": b"x"}, "")

    members, _ = read(bomb, Limits(member_bytes=1_000_000))
    assert members == {"bomb": "unpacks to over 1,000,000 bytes", "good": b"x"}


def test_a_bomb_of_many_members_is_stopped_by_their_sum():
    members, _ = read(archive({"a": b"x" * 600, "b": b"x" * 600}), Limits(total_bytes=1000))
    assert members["a"] == b"x" * 600
    assert members["b"] == "is left packed: the archive unpacks to over 1,000 bytes"


def test_a_bomb_whose_members_share_their_bytes_is_stopped_by_their_sum():
    content = archive([("a", b"x" * 600)] * 4)
    shared = content
    for n in range(4):
        shared = patched(shared, of_entry=n, offset=(42, struct.pack("<L", 0)))
    opened = Archive(of(shared), Limits(total_bytes=1000))
    results = [unpack(opened, m) for m in opened.members]
    assert results[0] == b"x" * 600
    assert all("is left packed" in r for r in results[1:])


def test_a_short_text_that_repeats_itself_is_no_bomb():
    assert read(archive({"a": b" " * 100_000}))[0] == {"a": b" " * 100_000}


def test_too_many_members_are_cut_and_told():
    members, fault = read(archive({str(n): b"" for n in range(5)}), Limits(members=3))
    assert list(members) == ["0", "1", "2"]
    assert fault == "has over 3 members, of which the first are read"


@pytest.mark.parametrize("size", [3, 10**9])
def test_a_size_that_lies_is_found_out(size):
    lying = patched(archive(TWO), size=(24, struct.pack("<L", size)))
    members, _ = read(lying)
    assert members["a.json"] == "is not what the archive says: its length or its checksum is another"
    assert members["b/c.json"] == TWO["b/c.json"]


def test_a_packed_size_that_lies_is_found_out():
    short = patched(archive(TWO), packed=(20, struct.pack("<L", 2)))
    assert read(short)[0]["a.json"] == "is cut off: the archive ends in the middle of it"
    stored = patched(archive(TWO, zipfile.ZIP_STORED), packed=(20, struct.pack("<L", 10**9)))
    assert read(stored)[0]["a.json"] == "is cut off: the archive ends in the middle of it"


def test_changed_bytes_are_found_by_the_checksum():
    content = archive(TWO, zipfile.ZIP_STORED).replace(b'{"a": 1}', b'{"a": 2}')
    assert "checksum" in read(content)[0]["a.json"]


def test_an_encrypted_member_is_told():
    members, _ = read(patched(archive(TWO), flags=(8, b"\x01\x00")))
    assert members["a.json"] == "is encrypted"


@pytest.mark.parametrize(("method", "why"), [(93, "Zstandard"), (14, "method 14"), (99, "method 99")])
def test_a_compression_that_cannot_be_read_is_told(method, why):
    members, _ = read(patched(archive(TWO), method=(10, struct.pack("<H", method))))
    assert why in members["a.json"]


@pytest.mark.parametrize("offset", [1, 2**32 - 2])
def test_a_member_that_is_not_where_the_directory_says_is_told(offset):
    members, _ = read(patched(archive(TWO), offset=(42, struct.pack("<L", offset))))
    assert members["a.json"] == "is not where the directory of the archive says"


def test_a_member_whose_own_header_names_it_otherwise_is_told():
    content = archive(TWO).replace(b"a.json", b"x.json", 1)
    assert read(content)[0]["a.json"] == "is not where the directory of the archive says"


def test_names_are_texts_and_no_paths():
    names = ["/etc/passwd", "../../up.json", "C:\\x", "a\nb", "ä.json"]
    assert list(read(archive(dict.fromkeys(names, b"x")))[0]) == names


def test_what_stands_whole_before_the_cut_is_read():
    content = archive(TWO)
    cut = content[: content.index(b"b/c.json") + 20]
    members, fault = read(cut)
    assert members == {"a.json": TWO["a.json"], "b/c.json": "is cut off: the archive ends in the middle of it"}
    assert "is cut off" in fault


def test_a_damaged_directory_is_told():
    content = archive(TWO)
    second = content.rindex(b"PK\x01\x02")
    members, fault = read(content[:second] + b"XX" + content[second + 2 :])
    assert members == {"a.json": TWO["a.json"]}
    assert fault == "has a damaged directory: members may be missing"


@pytest.mark.parametrize("content", [b"", b"PK", b"PK\x05\x06", archive({}), b"PK\x03\x04" + b"\xff" * 100, b"x" * 100])
def test_what_is_no_archive_has_no_members(content):
    members, _ = read(content)
    assert all(isinstance(m, str) for m in members.values())


def test_no_damage_raises_anything_else():
    content = archive(TWO)
    for piece in [*damage.cuts(content, 200), *damage.flips(content, 500)]:
        read(piece, Limits(member_bytes=10**6))
