"""The `.eval` archive of Inspect: what can be had of it is read, and the rest named."""

import json
import struct
import zipfile

import pytest

from sessions_app.interchange.archive import Archive, Limits
from sessions_app.interchange.formats.inspect_log import importer as inspect_log
from sessions_app.interchange.formats.inspect_log.importer import InspectLog
from sessions_app.interchange.registry import UnknownFormat, recognise
from sessions_app.interchange.sniff import sniff
from sessions_app.interchange.tally import Tally
from tests.interchange import damage, hostile
from tests.interchange.archives import archive, patched, zipped
from tests.interchange.inspect_logs import ABOUT, model, sample, says, user
from tests.interchange.samples import Read, of, real, real_files, texts

FORMAT = InspectLog()
START = ("_journal/start.json", json.dumps({"version": 2, "eval": ABOUT, "plan": {}}))
HEADER = ("header.json", json.dumps({"version": 2, "eval": ABOUT, "results": {"a": float("nan")}}))
TALK = [user(), says("a")]


def member(id, *messages, epoch=1, **members):
    return f"samples/{id}_epoch_{epoch}.json", json.dumps(sample(*messages, id=id, epoch=epoch, **members))


def skipped(read):
    return [(s.what, s.why) for s in read.tally.skipped]


def test_each_sample_is_a_session_in_the_order_of_the_archive():
    source = zipped([START, member("a/b", *TALK), member("..", user("x", "Second.")), HEADER])
    read = Read(FORMAT, source)

    assert [t.native_id for t in read.transcripts] == ['["e1","r1","a/b",1]', '["e1","r1","..",1]']
    assert [texts(read.messages(n)) for n in (0, 1)] == [["Go on.", "Done."], ["Second."]]
    assert [s.records for s in read.said(1)] == [(2,)]
    assert skipped(read) == []


def test_the_events_of_a_sample_are_read():
    read = Read(FORMAT, zipped([START, member("a", *TALK, events=[model(TALK[:1], TALK[1]), {"event": "store"}])]))
    assert read.said()[1].metadata["usage"]["input_tokens"] == 9
    assert read.skipped == [("store", 1)]


def test_a_run_that_was_stopped_has_no_header_and_is_read():
    assert Read(FORMAT, zipped([START, member("a", *TALK)])).transcripts[0].native_id == '["e1","r1","a",1]'
    assert Read(FORMAT, zipped([member("a", *TALK, uuid="x")])).transcripts[0].native_id == "x"


def test_what_was_written_anew_replaces_what_stood_before():
    read = Read(FORMAT, zipped([START, member("a", user()), member("a", *TALK)]))
    assert [len(read.messages(n)) for n in range(len(read.transcripts))] == [2]
    assert read.skipped == [("member", 1)]


def test_members_with_names_of_paths_are_no_samples_and_are_named():
    names = ["/samples/x_epoch_1.json", "../samples/y_epoch_1.json", "notes.txt"]
    read = Read(FORMAT, zipped([START, member("a", *TALK), *((name, "{}") for name in names)]))
    assert len(read.transcripts) == 1
    assert read.skipped == [("member", 3)]


def test_samples_that_are_stored_in_pieces_are_named():
    pieces = [(f"samples/b_epoch_1/{name}.json", "[]") for name in ("sample", "messages/0", "events/0")]
    read = Read(FORMAT, zipped([START, member("a", *TALK), *pieces]))
    assert skipped(read) == [("sample", "is stored in pieces, which cannot be read yet")]


def test_zstandard_is_told_with_what_to_do():
    content = archive([START, member("a", *TALK)])
    for entry in (0, 1):
        content = patched(content, of_entry=entry, method=(10, struct.pack("<H", 93)))
    read = Read(FORMAT, of(content))

    assert read.transcripts == []
    assert [what for what, _ in skipped(read)] == ["sample", "_journal/start.json"]
    assert all("Zstandard" in why and "inspect log convert" in why for _, why in skipped(read))


def test_an_encrypted_sample_is_named_and_the_others_are_read():
    content = patched(archive([START, member("a", *TALK), member("b", *TALK)]), of_entry=1, flags=(8, b"\x01\x00"))
    read = Read(FORMAT, of(content))
    assert len(read.transcripts) == 1
    assert skipped(read) == [("sample", "is encrypted")]


def test_a_sample_whose_size_lies_is_named():
    content = patched(archive([START, member("a", *TALK)]), of_entry=1, size=(24, struct.pack("<L", 10)))
    assert [what for what, _ in skipped(Read(FORMAT, of(content)))] == ["sample"]


def test_a_bomb_is_named_and_the_other_samples_are_read(monkeypatch):
    limits = Limits(ratio_from=1_000_000)
    monkeypatch.setattr(inspect_log, "Archive", lambda source: Archive(source, limits))
    source = zipped([START, ("samples/bomb_epoch_1.json", b" " * 5_000_000), member("a", *TALK)])
    read = Read(FORMAT, source)
    assert len(read.transcripts) == 1
    assert skipped(read) == [("sample", "unpacks to over 200 times its size")]


def test_of_too_many_members_the_first_are_read(monkeypatch):
    monkeypatch.setattr(inspect_log, "Archive", lambda source: Archive(source, Limits(members=2)))
    read = Read(FORMAT, zipped([START, member("a", *TALK), member("b", *TALK)]))
    assert len(read.transcripts) == 1
    assert skipped(read) == [("archive", "has over 2 members, of which the first are read")]


def test_of_an_archive_that_breaks_off_the_whole_samples_are_read():
    content = archive([START, member("a", *TALK), member("b", *TALK)])
    cut = content[: content.rindex(b"samples/b", 0, content.index(b"PK\x01\x02")) + 60]
    read = Read(FORMAT, of(cut))
    assert len(read.transcripts) == 1
    assert [what for what, _ in skipped(read)] == ["sample", "archive"]


@pytest.mark.parametrize("content", ["", "[]", "text", '{"messages": 7}', '{"id": 1, "messages": [{"role": "user"'])
def test_a_sample_that_holds_no_messages_is_named(content):
    read = Read(FORMAT, zipped([START, ("samples/a_epoch_1.json", content)]))
    assert read.transcripts == []
    assert ("sample", "holds no messages") in skipped(read)


@pytest.mark.parametrize("members", [{}, {"a.txt": "x"}, {"header.json": "{}"}, {"samples/x.json": "{}"}])
def test_an_archive_of_something_else_is_refused(members):
    with pytest.raises(UnknownFormat, match="is a zip archive, but no Inspect log"):
        recognise(sniff(zipped(members)))


def test_no_damage_raises():
    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
        content = archive([START, member("a", *TALK, events=[model(TALK[:1], TALK[1])]), HEADER], method)
        for piece in [*damage.cuts(content, 60), *damage.flips(content, 150)]:
            hostile.take(FORMAT, piece)


@real_files
def test_the_real_archive():
    read = Read(FORMAT, real("inspect-log/log_formats.eval"))

    assert [m["role"] for m in read.messages()] == ["system", "user", "assistant"]
    assert read.messages()[2] == {"role": "assistant", "content": "No"}
    assert read.said()[2].metadata["usage"] == {"input_tokens": 66, "output_tokens": 2, "total_tokens": 68}
    assert read.transcripts[0].native_id == '["BpiPFmbVcMCRUAXv8ovCTx","9eTnG3tV8jGRYoTPMH54Ee",1,1]'
    assert read.skipped == [("sample_init", 1), ("step", 6), ("state", 2), ("score", 1)]
    assert list(FORMAT.read(real("inspect-log/log_formats.eval"), read.look, Tally()))
