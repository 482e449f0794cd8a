from django.urls import URLPattern, URLResolver, path, register_converter

from sessions_app.api import converters
from sessions_app.api.views.docs import SchemaView, docs_page
from sessions_app.api.views.exports import ExportView
from sessions_app.api.views.frames import FramesView, OneFrameView
from sessions_app.api.views.imports import ImportsView
from sessions_app.api.views.lab import ComparisonsView, ReplaysView
from sessions_app.api.views.sessions import OneSessionView, SessionsView
from sessions_app.api.views.strategies import CompressPastedView, StrategiesView
from sessions_app.api.views.windows import (
    CompressionsView,
    ContextMessagesView,
    ContextView,
    RecoveryView,
    VersionsView,
)

register_converter(converters.SessionId, "session_id")
register_converter(converters.Seq, "seq")

_ONE = "sessions/<session_id:session_id>/"

urlpatterns: list[URLPattern | URLResolver] = [
    path("sessions/", SessionsView.as_view(), name="api-sessions"),
    path(_ONE, OneSessionView.as_view(), name="api-session"),
    path(f"{_ONE}frames/", FramesView.as_view(), name="api-frames"),
    path(f"{_ONE}frames/<seq:seq>/", OneFrameView.as_view(), name="api-frame"),
    path(f"{_ONE}context/", ContextView.as_view(), name="api-context"),
    path(f"{_ONE}context/messages/", ContextMessagesView.as_view(), name="api-context-messages"),
    path(f"{_ONE}versions/", VersionsView.as_view(), name="api-versions"),
    path(f"{_ONE}compressions/", CompressionsView.as_view(), name="api-compressions"),
    path(f"{_ONE}comparisons/", ComparisonsView.as_view(), name="api-comparisons"),
    path(f"{_ONE}replays/", ReplaysView.as_view(), name="api-replays"),
    path(f"{_ONE}recovery/", RecoveryView.as_view(), name="api-recovery"),
    path(f"{_ONE}export/", ExportView.as_view(), name="api-export"),
    path("imports/", ImportsView.as_view(), name="api-imports"),
    path("strategies/", StrategiesView.as_view(), name="api-strategies"),
    path("compress/", CompressPastedView.as_view(), name="api-compress"),
    path("schema/", SchemaView.as_view(), name="api-schema"),
    path("docs/", docs_page, name="api-docs"),
]
