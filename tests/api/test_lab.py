"""Comparisons and replays over REST (compression page, sections 6 and 7)."""

from itertools import pairwise
from threading import Event, Thread
from typing import Any

import pytest

from sessions_app import engine
from sessions_app.compression import comparison, strategies
from sessions_app.compression.at_most import AtMost
from sessions_app.compression.errors import Busy
from sessions_app.compression.replay import replaying
from tests.api.client import Api, operator
from tests.api.refusals import refused
from tests.builders import react_rounds, says, system, user
from tests.engine.snapshots import all_tables

pytestmark = pytest.mark.django_db

ALL = [s.name for s in strategies()]
CLASSES = ["path", "url", "id", "number", "error", "identifier", "version", "command", "quoted", "constraint"]


@pytest.fixture
def api() -> Api:
    return operator()


def session(api: Api, rounds: int = 8) -> str:
    return api.create(
        system(),
        user("Fix src/upload.py. You must never touch the migrations."),
        *react_rounds(rounds, size=400),
        says("It was src/upload.py."),
        user("go on"),
    )


def compared(api: Api, session_id: str, *chosen: dict[str, Any], query: str = "", **body: Any) -> Any:
    answer = api.post(f"sessions/{session_id}/comparisons/{query}", {"strategies": list(chosen), **body})
    assert answer.status == 200, answer.content
    return answer.json


def replayed(api: Api, session_id: str, *chosen: dict[str, Any], **body: Any) -> Any:
    answer = api.post(f"sessions/{session_id}/replays/", {"strategies": list(chosen), **body})
    assert answer.status == 200, answer.content
    return answer.json


def test_a_comparison_says_what_each_would_make_of_the_window(api: Api) -> None:
    session_id = session(api)
    state = api.get(f"sessions/{session_id}/").json
    told = compared(
        api, session_id, {"strategy": "digest"}, {"strategy": "sliding_window", "params": {"protect_rounds": 1}}
    )
    base = told["base"]
    assert (base["tokens"], base["messages"]) == (state["context_tokens"], state["context_messages"])
    assert base["size"]["ratio"] == 1
    digest, sliding = told["results"]
    for result in (digest, sliding):
        dry = api.post(
            f"sessions/{session_id}/compressions/",
            {"strategy": result["strategy"], "params": result["params"], "dry_run": True},
        ).json
        assert result["outcome"] == "ok"
        assert result["after"] == dry["compression"]["after"]
        counts = dict.fromkeys(engine.FATES, 0)
        for first, last, fate in result["fates"]:
            counts[fate] += last - first + 1
        assert counts == dry["compression"]["fates"]
        size = result["size"]
        assert size["ratio"] == result["after"]["tokens"] / base["tokens"]
        assert sum(size["by_role"].values()) == sum(size["by_kind"].values()) == result["after"]["tokens"]
        assert bool(size["by_kind"]["summary"]) is (result["strategy"] == "digest")
    assert sliding["params"] == {"protect_rounds": 1}


def test_fates_are_runs_that_cover_every_frame_once(api: Api) -> None:
    session_id = session(api)
    for result in compared(api, session_id, {"strategy": "digest"}, {"strategy": "sliding_window"})["results"]:
        seqs = [seq for first, last, _ in result["fates"] for seq in range(first, last + 1)]
        assert seqs == list(range(1, 21))
        fates = [fate for _, _, fate in result["fates"]]
        assert all(a != b for a, b in pairwise(fates))


def test_it_has_all_measures_with_their_n(api: Api) -> None:
    [result] = compared(api, session(api), {"strategy": "sliding_window"})["results"]
    names = ["tail_fidelity", *(f"retention_{c}" for c in CLASSES), "fabrication", "user_text", "cache"]
    assert list(result["measures"]) == names
    assert all(set(m) == {"value", "n"} for m in result["measures"].values())
    assert all((m["value"] is None) == (m["n"] == 0) for n, m in result["measures"].items() if n != "cache")


def test_the_gates_are_the_eleven_rules(api: Api) -> None:
    [result] = compared(api, session(api), {"strategy": "digest"})["results"]
    assert [gate["rule"] for gate in result["gates"]] == list(range(1, 12))
    assert all(gate["held"] and gate["where"] == [] for gate in result["gates"])


def test_probes_are_found_or_not(api: Api) -> None:
    [result] = compared(
        api, session(api), {"strategy": "sliding_window"}, probes=["src/upload.py", "zebra", "line 2 of the file"]
    )["results"]
    given = {p["text"]: p["found"] for p in result["probes"] if p["origin"] == "given"}
    assert given == {"src/upload.py": True, "zebra": False, "line 2 of the file": False}
    assert "constraint" in {p["origin"] for p in result["probes"]}


def test_the_window_comes_where_it_is_asked_for(api: Api) -> None:
    session_id = session(api)
    [without] = compared(api, session_id, {"strategy": "digest"})["results"]
    assert "window" not in without
    [result] = compared(api, session_id, {"strategy": "digest"}, query="?include=window")["results"]
    dry = api.post(f"sessions/{session_id}/compressions/", {"strategy": "digest", "dry_run": True}).json
    assert result["window"] == dry["context"]
    refused = api.post(f"sessions/{session_id}/comparisons/?include=x", {"strategies": [{"strategy": "digest"}]})
    assert (refused.status, refused.pointers) == (400, ["/include"])


def test_one_with_nothing_to_gain_says_why(api: Api) -> None:
    session_id = api.create(user(), says())
    [result] = compared(api, session_id, {"strategy": "digest"}, query="?include=window")["results"]
    assert result["outcome"] == "nothing-to-compress"
    assert result["why"]
    assert (result["after"], result["window"], result["fates"], result["probes"]) == (None, None, [], [])


@pytest.mark.parametrize("name", ALL)
def test_every_strategy_can_be_compared_and_replayed_with_its_defaults(api: Api, name: str) -> None:
    session_id = session(api, rounds=14)
    api.patch(f"sessions/{session_id}/", {"compression_policy": {"limit_tokens": 800}})
    [result] = compared(api, session_id, {"strategy": name})["results"]
    assert result["outcome"] in ("ok", "nothing-to-compress")
    [run] = replayed(api, session_id, {"strategy": name})["runs"]
    assert (run["strategy"], run["outcome"]) == (name, "ok")


def test_a_summary_by_a_model_is_stood_in_for_and_says_so(api: Api) -> None:
    session_id = session(api)
    summary, digest = compared(api, session_id, {"strategy": "summarize"}, {"strategy": "digest"})["results"]
    assert (summary["outcome"], summary["stand_in"], digest["stand_in"]) == ("ok", "digest", None)
    assert "model" in summary["why"]
    assert summary["after"] == digest["after"]
    terms = {"limit_tokens": 800, "trigger": 0.5}
    summary, digest = replayed(api, session_id, {"strategy": "summarize"}, {"strategy": "digest"}, **terms)["runs"]
    assert (summary["stand_in"], digest["stand_in"]) == ("digest", None)
    assert "model" in summary["why"]
    assert summary["series"] == digest["series"]
    assert summary["totals"]["summary_tokens"] > 0 == digest["totals"]["summary_tokens"]
    assert summary["totals"]["cost"] > digest["totals"]["cost"]


def test_both_write_nothing(api: Api) -> None:
    session_id = session(api)
    api.get(f"sessions/{session_id}/")
    before = all_tables()
    compared(api, session_id, {"strategy": "digest"})
    replayed(api, session_id, {"strategy": "digest"}, limit_tokens=300)
    assert all_tables() == before


def test_both_name_the_head(api: Api) -> None:
    session_id = session(api)
    etag = api.get(f"sessions/{session_id}/").etag
    body = {"strategies": [{"strategy": "digest"}]}
    assert api.post(f"sessions/{session_id}/comparisons/", body).etag == etag
    assert api.post(f"sessions/{session_id}/replays/", body).etag == etag


def test_a_replay_has_a_run_for_each_strategy_in_the_order_asked(api: Api) -> None:
    session_id = session(api)
    chosen = [{"strategy": "sliding_window", "params": {"protect_rounds": n}} for n in (1, 2, 3)]
    told = replayed(api, session_id, *chosen, limit_tokens=400, trigger=0.5)
    assert told["calls"] == 9
    assert [run["params"]["protect_rounds"] for run in told["runs"]] == [1, 2, 3]
    assert told["terms"]["trigger_tokens"] == 200
    for run in (told["baseline"], *told["runs"]):
        assert [seq for seq, _ in run["series"]] == [*range(3, 19, 2), 19]
        assert run["totals"]["input_tokens"] == sum(tokens for _, tokens in run["series"])
    assert all(run["compressions"] for run in told["runs"])
    assert any(run["pareto"] for run in told["runs"])


def test_limit_and_trigger_are_the_policys_where_none_are_given(api: Api) -> None:
    session_id = session(api)
    assert replayed(api, session_id, {"strategy": "digest"})["terms"]["limit_tokens"] == 128_000
    api.patch(f"sessions/{session_id}/", {"compression_policy": {"limit_tokens": 500, "trigger": 0.4, "target": 0.3}})
    terms = replayed(api, session_id, {"strategy": "digest"})["terms"]
    assert (terms["limit_tokens"], terms["trigger"], terms["trigger_tokens"]) == (500, 0.4, 200)


def test_prices_are_taken_and_told(api: Api) -> None:
    terms = replayed(api, session(api), {"strategy": "digest"}, prices={"output": 4})["terms"]
    assert terms["prices"] == {"read": 0.1, "write": 1.25, "output": 4}


@pytest.mark.parametrize("path", ["comparisons", "replays"])
@pytest.mark.parametrize(
    ("chosen", "pointers"),
    [
        ([], ["/strategies"]),
        ([{"strategy": "digest"}] * 7, ["/strategies"]),
        ("digest", ["/strategies"]),
        ([5], ["/strategies/0"]),
        ([{}], ["/strategies/0/strategy"]),
        ([{"strategy": 5}], ["/strategies/0/strategy"]),
        ([{"strategy": "digest", "x": 1}], ["/strategies/0/x"]),
        ([{"strategy": "digest"}, {"strategy": "none"}], ["/strategies/1/strategy"]),
        ([{"strategy": "restore"}], ["/strategies/0/strategy"]),
        ([{"strategy": "digest", "params": {"max_tokens": 1}}], ["/strategies/0/params/max_tokens"]),
        ([{"strategy": "digest", "params": 5}], ["/strategies/0/params"]),
        ([{"strategy": "x"}, {"strategy": "y"}], ["/strategies/0/strategy", "/strategies/1/strategy"]),
    ],
)
def test_bad_strategies_are_refused_by_pointer(api: Api, path: str, chosen: Any, pointers: list[str]) -> None:
    session_id = session(api)
    before = all_tables()
    assert refused(api.post(f"sessions/{session_id}/{path}/", {"strategies": chosen}), before) == pointers


@pytest.mark.parametrize(
    ("probes", "pointers"),
    [
        ("x", ["/probes"]),
        ([1], ["/probes"]),
        (["a"] * 21, ["/probes"]),
        (["a", " "], ["/probes/1"]),
        (["a" * 201, ""], ["/probes/0", "/probes/1"]),
    ],
)
def test_bad_probes_are_refused_by_pointer(api: Api, probes: Any, pointers: list[str]) -> None:
    session_id = session(api)
    before = all_tables()
    body = {"strategies": [{"strategy": "digest"}], "probes": probes}
    assert refused(api.post(f"sessions/{session_id}/comparisons/", body), before) == pointers


@pytest.mark.parametrize(
    ("terms", "pointer"),
    [
        ({"limit_tokens": 0}, "/limit_tokens"),
        ({"limit_tokens": 1.5}, "/limit_tokens"),
        ({"trigger": 0}, "/trigger"),
        ({"trigger": -1}, "/trigger"),
        ({"trigger": "0.8"}, "/trigger"),
        ({"trigger": 1e300}, "/trigger"),
        ({"prices": 5}, "/prices"),
        ({"prices": {"read": -1}}, "/prices/read"),
        ({"prices": {"input": 1}}, "/prices/input"),
        ({"cache_ttl_s": -1}, "/cache_ttl_s"),
        ({"cache_min_tokens": -1}, "/cache_min_tokens"),
    ],
)
def test_bad_terms_are_refused_by_pointer(api: Api, terms: Any, pointer: str) -> None:
    session_id = session(api)
    before = all_tables()
    body = {"strategies": [{"strategy": "digest"}], **terms}
    assert refused(api.post(f"sessions/{session_id}/replays/", body), before) == [pointer]


def test_a_session_of_over_20_000_frames_is_too_large(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    session_id = session(api)
    monkeypatch.setattr(replaying, "MOST_FRAMES", 19)
    monkeypatch.setattr(comparison, "MOST_FRAMES", 19)
    for path in ("replays", "comparisons"):
        answer = api.post(f"sessions/{session_id}/{path}/", {"strategies": [{"strategy": "digest"}]})
        assert (answer.status, answer.slug) == (413, "too-large")
        assert (answer.json["frames"], answer.json["limit_frames"]) == (20, 19)


def test_a_second_replay_of_the_same_user_is_told_that_one_is_running(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    session_id = session(api)
    gate = AtMost(1, "One of yours is running.")
    monkeypatch.setattr(replaying, "_ONE_REPLAY", gate)
    assert api.user is not None
    with gate.of(api.user.pk):
        answer = api.post(f"sessions/{session_id}/replays/", {"strategies": [{"strategy": "digest"}]})
        assert (answer.status, answer.slug) == (503, "busy")
        assert int(answer.headers["Retry-After"]) > 0
    replayed(api, session_id, {"strategy": "digest"})


def test_a_third_comparison_of_the_same_user_is_told_that_two_are_running(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    session_id = session(api)
    gate = AtMost(2, "Two of yours are running.")
    monkeypatch.setattr(comparison, "_AT_ONCE", gate)
    assert api.user is not None
    with gate.of(api.user.pk):
        compared(api, session_id, {"strategy": "digest"})
        with gate.of(api.user.pk):
            answer = api.post(f"sessions/{session_id}/comparisons/", {"strategies": [{"strategy": "digest"}]})
            assert (answer.status, answer.slug) == (503, "busy")


def test_it_lets_another_user_in_and_the_same_one_after_a_failure() -> None:
    gate, inside, leave = AtMost(1, "One of yours is running."), Event(), Event()

    def stay() -> None:
        with gate.of(1):
            inside.set()
            leave.wait(5)

    thread = Thread(target=stay)
    thread.start()
    assert inside.wait(5)
    with gate.of(2), pytest.raises(Busy, match="One of yours"), gate.of(1):
        pass
    leave.set()
    thread.join()
    with pytest.raises(ZeroDivisionError), gate.of(1):
        raise ZeroDivisionError
    with gate.of(1):
        pass


def test_a_compression_goes_by_trigger_and_target_of_the_policy(api: Api) -> None:
    session_id = session(api, rounds=14)
    tokens = api.get(f"sessions/{session_id}/").json["context_tokens"]
    policy = {"limit_tokens": tokens * 2, "trigger": 0.4, "target": 0.2}
    api.patch(f"sessions/{session_id}/", {"compression_policy": policy})
    done = api.post(f"sessions/{session_id}/compressions/", {"strategy": "cascade"})
    assert done.status == 201
    assert done.json["compression"]["params"] == {"trigger": 0.4, "target": 0.2, "protect_rounds": 3}
    assert compared(api, session_id, {"strategy": "cascade"})["results"][0]["params"]["trigger"] == 0.4
