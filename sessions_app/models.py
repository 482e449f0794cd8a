"""The tables of a session and the constraints that the database itself holds.

Order is `seq` and `position`, never a clock. Text that a client sent is JSON text, because `jsonb` refuses NUL and lone
surrogates and reorders members; ids and tool names are kept in that same escaped form (`engine.jsontext`).
"""

from dataclasses import dataclass
from typing import Any, Self, TypeVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Left

from sessions_app.fields import KeyField, KeyReference

_M = TypeVar("_M", bound=models.Model)


@dataclass(frozen=True, slots=True)
class Head:
    """What a writer must name to show that it has seen all: it changes whenever frames or the window change."""

    session_id: str
    next_msg_seq: int
    context_compression_version: int
    incarnation: str


class RowsQuerySet(models.QuerySet[_M]):
    def remove(self) -> int:
        """Delete these rows by one statement, children or not, and say how many there were.

        `delete()` would collect children first and remove them before the session: a delete that turns out stale would
        have taken locks on all of them.
        """
        return self._raw_delete(self.db)


class SessionQuerySet(RowsQuerySet["Session"]):
    def owned_by(self, user_id: int) -> Self:
        return self.filter(owner_id=user_id)

    def at(self, head: Head) -> Self:
        """The session, if it is still at `head`: the condition of every write.

        `.at(head).update(…)` is the versioned save; the number of rows is the answer.
        """
        return self.filter(
            session_id=head.session_id,
            incarnation=head.incarnation,
            next_msg_seq=head.next_msg_seq,
            context_compression_version=head.context_compression_version,
        )

    def living(self, *, session_id: str, incarnation: str) -> Self:
        """The session, if it has not been deleted and made again: the condition of a change that moves no head."""
        return self.filter(session_id=session_id, incarnation=incarnation)


class Session(models.Model):
    """One conversation of one agent: its head, its settings and its counters. A list of sessions reads no message."""

    session_id = KeyField(primary_key=True, max_length=200)
    incarnation = models.CharField(max_length=16)
    owner: "models.ForeignKey[Any, Any]" = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    title = models.CharField(max_length=200, blank=True, default="")
    labels = models.TextField(blank=True, default="", help_text='one JSON string a line, "\\n" at both ends')

    next_msg_seq = models.PositiveBigIntegerField(default=1)
    context_compression_version = models.PositiveBigIntegerField(default=1)
    keep_context_history = models.BooleanField(default=True)
    require_head = models.BooleanField(default=False)
    compression_policy = models.TextField(blank=True, default="", help_text="JSON object; empty: no policy")

    lease_token_hash = models.CharField(max_length=64, blank=True, default="")
    lease_holder = models.CharField(max_length=200, blank=True, default="")
    lease_expires_ms = models.PositiveBigIntegerField(null=True, blank=True)

    open_calls = models.TextField(default="[]", help_text="[[id, name, seq]]: calls that no reply answers yet")
    recovered_calls = models.TextField(
        default="[]",
        help_text="[[id, name, seq, recovery_seq, in_place]]: calls that still await their real reply",
    )
    raw_tokens = models.PositiveBigIntegerField(default=0)
    context_tokens = models.PositiveBigIntegerField(default=0)
    context_messages = models.PositiveBigIntegerField(default=0)
    tail_role = models.CharField(max_length=10, blank=True, default="")

    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    objects = SessionQuerySet.as_manager()

    class Meta:
        constraints = (
            models.CheckConstraint(name="session_id_not_empty", condition=~Q(session_id="")),
            models.CheckConstraint(name="session_incarnation_present", condition=~Q(incarnation="")),
            models.CheckConstraint(name="session_next_msg_seq_from_1", condition=Q(next_msg_seq__gte=1)),
            models.CheckConstraint(name="session_version_from_1", condition=Q(context_compression_version__gte=1)),
            models.CheckConstraint(
                name="session_tail_role_known",
                condition=Q(tail_role__in=["", "system", "developer", "user", "assistant", "tool"]),
            ),
            models.CheckConstraint(
                name="session_lease_whole",
                condition=Q(lease_expires_ms__isnull=True, lease_token_hash="", lease_holder="")
                | (Q(lease_expires_ms__isnull=False) & ~Q(lease_token_hash="")),
            ),
        )
        indexes = (
            models.Index(F("owner"), F("updated_at").desc(), F("session_id"), name="session_owner_updated"),
            models.Index(F("owner"), F("created_at").desc(), F("session_id"), name="session_owner_created"),
            models.Index(F("owner"), F("context_tokens").desc(), F("session_id"), name="session_owner_tokens"),
            models.Index(F("updated_at").desc(), F("session_id"), name="session_updated"),
            models.Index(F("created_at").desc(), F("session_id"), name="session_created"),
            models.Index(F("context_tokens").desc(), F("session_id"), name="session_tokens"),
        )

    def __str__(self) -> str:
        return str(self.session_id)


def _session_key() -> "KeyReference":
    """The key to the session: deferred and without cascade, so that a delete can take the session's row first."""
    return KeyReference(Session, on_delete=models.DO_NOTHING, related_name="+", db_index=False)


class RawFrame(models.Model):
    """One message exactly as the agent sent it. Never changed; removed only with its session."""

    pk = models.CompositePrimaryKey("session", "seq")
    session = _session_key()
    seq = models.PositiveBigIntegerField()
    message = models.TextField()
    role = models.CharField(max_length=10)
    tool_call_id = models.TextField(blank=True, default="")
    tool_names = models.TextField(blank=True, default="", help_text='one JSON string a line, "\\n" at both ends')
    call_seq = models.PositiveBigIntegerField(null=True, help_text="the frame whose call this one replies to")
    recovery_seq = models.PositiveBigIntegerField(null=True, help_text="a late reply: the recovery frame it follows")
    is_error = models.BooleanField(default=False)
    excerpt = models.CharField(max_length=280, blank=True, default="")
    tokens = models.PositiveIntegerField()
    tokenizer = models.CharField(max_length=20)
    source = models.CharField(max_length=10)
    metadata = models.TextField(blank=True, default="{}")
    context_version = models.PositiveBigIntegerField()
    created_at = models.DateTimeField()

    objects = RowsQuerySet["RawFrame"].as_manager()

    class Meta:
        constraints = (
            models.CheckConstraint(name="frame_seq_from_1", condition=Q(seq__gte=1)),
            models.CheckConstraint(
                name="frame_role_known",
                condition=Q(role__in=["system", "developer", "user", "assistant", "tool"]),
            ),
            models.CheckConstraint(name="frame_source_known", condition=Q(source__in=["agent", "recovery", "import"])),
            models.CheckConstraint(name="frame_message_present", condition=~Q(message="")),
            models.CheckConstraint(
                name="frame_reply_after_call",
                condition=Q(call_seq__isnull=True) | Q(call_seq__lt=F("seq")),
            ),
            models.CheckConstraint(
                name="frame_late_after_recovery",
                condition=Q(recovery_seq__isnull=True) | Q(recovery_seq__lt=F("seq"), recovery_seq__gt=F("call_seq")),
            ),
        )
        indexes = (
            # One call has at most a few replies: the page that links them both ways asks by the call.
            models.Index(
                fields=["session", "call_seq"],
                condition=Q(call_seq__isnull=False),
                name="frame_by_call",
            ),
            # The few frames that the fate strip cannot take as said by the agent and kept.
            models.Index(fields=["session", "seq"], condition=Q(source="recovery"), name="frame_recovery"),
            models.Index(
                fields=["session", "seq"],
                condition=Q(role="tool", call_seq__isnull=True),
                name="frame_orphan",
            ),
            models.Index(fields=["session", "seq"], condition=Q(is_error=True), name="frame_failed"),
            # To step from one name to the next. Its beginning only: PostgreSQL takes 2,704 bytes of an entry.
            models.Index(F("session"), Left("tool_names", 200), condition=Q(role="tool"), name="frame_tool_names"),
        )

    def __str__(self) -> str:
        return f"{self.session_id}#{self.seq}"


class ContextMessage(models.Model):
    """One message of one version of the window.

    `message` is empty where it is that of the one frame in `original_seqs`: keeping each version costs small rows.
    """

    pk = models.CompositePrimaryKey("session", "version", "position")
    session = _session_key()
    version = models.PositiveBigIntegerField()
    position = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=10)
    original_seqs = models.TextField(help_text="ranges: 2-97,103")
    first_seq = models.PositiveBigIntegerField()
    last_seq = models.PositiveBigIntegerField()
    tokens = models.PositiveIntegerField()
    message = models.TextField(blank=True, default="")

    objects = RowsQuerySet["ContextMessage"].as_manager()

    class Meta:
        constraints = (
            models.CheckConstraint(name="context_version_from_1", condition=Q(version__gte=1)),
            models.CheckConstraint(name="context_position_from_1", condition=Q(position__gte=1)),
            models.CheckConstraint(
                name="context_seqs_in_order",
                condition=Q(first_seq__gte=1, last_seq__gte=F("first_seq")),
            ),
            models.CheckConstraint(name="context_kind_known", condition=Q(kind__in=["original", "edited", "summary"])),
            # By reference only where there is just one frame to refer to.
            models.CheckConstraint(
                name="context_original_by_reference",
                condition=Q(kind="original", message="", first_seq=F("last_seq"))
                | (~Q(kind="original") & ~Q(message="")),
            ),
        )
        indexes = (
            models.Index(fields=["session", "first_seq", "version"], name="context_by_first_seq"),
            # The few messages that stand for several frames: the others are found by their first.
            models.Index(
                fields=["session", "last_seq", "first_seq"],
                condition=Q(last_seq__gt=F("first_seq")),
                name="context_by_last_seq",
            ),
            # Late replies that came since the version was published are few, and are found by their frame.
            models.Index(fields=["session", "version", "last_seq"], condition=Q(kind="edited"), name="context_edited"),
        )

    def __str__(self) -> str:
        return f"{self.session_id} v{self.version}:{self.position}"


class Compression(models.Model):
    """The ledger: a row for each version of the window, version 1 too. It stays when old windows go."""

    pk = models.CompositePrimaryKey("session", "version")
    session = _session_key()
    version = models.PositiveBigIntegerField()
    requested_strategy = models.CharField(max_length=100, blank=True, default="")
    strategy = models.CharField(max_length=100, blank=True, default="", help_text="the one used; empty for version 1")
    params = models.TextField(default="{}")
    why = models.TextField(blank=True, default="", help_text="where another strategy was used than was asked for")
    tokens_before = models.PositiveBigIntegerField(default=0)
    tokens_after = models.PositiveBigIntegerField(default=0)
    messages_before = models.PositiveBigIntegerField(default=0)
    messages_after = models.PositiveBigIntegerField(default=0)
    fates = models.TextField(default="{}", help_text="frames by what became of them")
    from_next_msg_seq = models.PositiveBigIntegerField()
    from_version = models.PositiveBigIntegerField(help_text="0 for version 1")
    created_by = models.CharField(max_length=200, blank=True, default="")
    automatic = models.BooleanField(default=False, help_text="made right after an append, by the session's policy")
    created_at = models.DateTimeField()
    duration_ms = models.PositiveIntegerField(default=0)
    usage = models.TextField(default="{}", help_text="what a model reported; empty object: no model")
    fate_bins = models.TextField(
        blank=True,
        default="",
        help_text="what became of the frames when it was published; empty: its window is no longer kept",
    )

    objects = RowsQuerySet["Compression"].as_manager()

    class Meta:
        constraints = (
            models.CheckConstraint(
                name="compression_names_a_strategy",
                condition=Q(version=1, strategy="") | (Q(version__gt=1) & ~Q(strategy="")),
            ),
            models.CheckConstraint(name="compression_from_older", condition=Q(from_version__lt=F("version"))),
            models.CheckConstraint(
                name="compression_version_1_by_nobody", condition=Q(automatic=False) | Q(version__gt=1)
            ),
        )

    def __str__(self) -> str:
        return f"{self.session_id} v{self.version}"


class IdempotencyRecord(models.Model):
    """What a write that succeeded under a key answered. Written in the write's own transaction."""

    pk = models.CompositePrimaryKey("owner", "session_id", "incarnation", "key")
    owner: "models.ForeignKey[Any, Any]" = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    # Not a key to the session: empty for a creation, which is asked for before the session exists.
    session_id = KeyField(max_length=200, blank=True, default="")
    incarnation = models.CharField(max_length=16, blank=True, default="")
    key = KeyField(max_length=255)
    request_hash = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField()
    answer = models.TextField()
    created_at = models.DateTimeField()

    objects = RowsQuerySet["IdempotencyRecord"].as_manager()

    class Meta:
        constraints = (models.CheckConstraint(name="idempotency_key_present", condition=~Q(key="")),)
        indexes = (models.Index(fields=["created_at"], name="idempotency_by_age"),)

    def __str__(self) -> str:
        return str(self.key)
