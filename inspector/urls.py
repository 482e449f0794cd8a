"""The pages. Names of routes that are forms: `session_` and the panel that they belong to."""

from django.urls import path, register_converter

from inspector.views import controls, frames, imports, problems, session_page, sessions, sign_in


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
    path(_SESSION, session_page.session, name="session"),
    path(f"{_SESSION}frames/<counting:seq>/", frames.frame, name="frame"),
    path(f"{_SESSION}context/<counting:version>/<counting:position>/", frames.context_message, name="context_message"),
    path(f"{_SESSION}compress/", controls.compress, name="session_compress"),
    path(f"{_SESSION}restore/", controls.restore, name="session_restore"),
    path(f"{_SESSION}recover/", controls.recover, name="session_recover"),
    path(f"{_SESSION}append/", controls.append, name="session_append"),
    path(f"{_SESSION}rename/", controls.rename, name="session_rename"),
    path(f"{_SESSION}history/", controls.history, name="session_history"),
    path(f"{_SESSION}delete/", controls.delete, name="session_delete"),
    path("problems/", problems.problems, name="problems"),
    path("problems/<slug:slug>", problems.problem, name="problem"),
    path("problems/<slug:slug>/", problems.problem),
    path("login/", sign_in.SignIn.as_view(), name="login"),
    path("login/link/<str:secret>/", sign_in.login_link, name="login_link"),
    path("logout/", sign_in.SignOut.as_view(), name="logout"),
]
