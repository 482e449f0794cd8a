"""The pages. Names of routes that are forms: `session_` and the panel that they belong to."""

from django.urls import path, register_converter

from inspector.views import (
    compare,
    controls,
    copies,
    frames,
    images,
    imports,
    live,
    problems,
    replay,
    session_page,
    sessions,
    sign_in,
    texts,
    tokens,
)


class Counting:
    """1, 2, 3 … as large as a column holds; what is larger names nothing."""

    regex = "[1-9][0-9]{0,17}"

    def to_python(self, value: str) -> int:
        return int(value)

    def to_url(self, value: int) -> str:
        return str(value)


register_converter(Counting, "counting")

_SESSION = "sessions/<str:session_id>/"

urlpatterns = [
    path("", sessions.sessions, name="sessions"),
    path("import/", imports.imports, name="import"),
    path("tokens/", tokens.tokens, name="tokens"),
    path("tokens/<counting:token_id>/revoke/", tokens.revoke, name="token_revoke"),
    path(_SESSION, session_page.session, name="session"),
    path(f"{_SESSION}frames/<counting:seq>/", frames.frame, name="frame"),
    path(f"{_SESSION}context/<counting:version>/<counting:position>/", frames.context_message, name="context_message"),
    path(f"{_SESSION}frames/<counting:seq>/text/", texts.frame_text, name="frame_text"),
    path(f"{_SESSION}frames/<counting:seq>/images/<counting:number>/", images.frame_image, name="frame_image"),
    path(f"{_SESSION}context/<counting:version>/<counting:position>/text/", texts.context_text, name="context_text"),
    path(f"{_SESSION}copy/", copies.copy, name="copy"),
    path(f"{_SESSION}compare/", compare.compare, name="session_compare"),
    path(f"{_SESSION}compare/text/", compare.compare_text, name="session_compare_text"),
    path(f"{_SESSION}replay/", replay.replay, name="session_replay"),
    path(f"{_SESSION}live/", live.live, name="session_live"),
    path(f"{_SESSION}compress/", controls.compress, name="session_compress"),
    path(f"{_SESSION}restore/", controls.restore, name="session_restore"),
    path(f"{_SESSION}recover/", controls.recover, name="session_recover"),
    path(f"{_SESSION}append/", controls.append, name="session_append"),
    path(f"{_SESSION}rename/", controls.rename, name="session_rename"),
    path(f"{_SESSION}history/", controls.history, name="session_history"),
    path(f"{_SESSION}policy/", controls.policy, name="session_policy"),
    path(f"{_SESSION}delete/", controls.delete, name="session_delete"),
    path("problems/", problems.problems, name="problems"),
    path("problems/<slug:slug>", problems.problem, name="problem"),
    path("problems/<slug:slug>/", problems.problem),
    path("login/", sign_in.SignIn.as_view(), name="login"),
    path("login/link/<str:secret>/", sign_in.login_link, name="login_link"),
    path("logout/", sign_in.SignOut.as_view(), name="logout"),
]
