"""Where summaries are asked for, and how long anybody waits: the settings SUMMARISER_*."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from django.conf import settings


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An OpenAI-compatible endpoint. Seconds: to connect, to the next byte, and for all calls of one summary together.

    `retries`: how often a call is sent again after a refusal that may pass. `first_pause_s` doubles with each, where
    the endpoint names no time itself.
    """

    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    connect_s: float = 5.0
    read_s: float = 120.0
    total_s: float = 180.0
    retries: int = 2
    first_pause_s: float = 0.5

    @classmethod
    def configured(cls) -> "Endpoint | None":
        if why_not_configured():
            return None
        return cls(settings.SUMMARISER_BASE_URL, settings.SUMMARISER_MODEL, settings.SUMMARISER_API_KEY)

    @property
    def host(self) -> str:
        """Without what the address may hold besides: a name and a password, a key in its query."""
        return urlsplit(self.base_url).netloc.rpartition("@")[2]

    def without_key(self, text: str) -> str:
        """An endpoint may repeat in an error what it was sent."""
        return text.replace(self.api_key, "…") if self.api_key else text


def why_not_configured() -> str:
    """Which settings are missing, in a sentence; empty where none is."""
    given = {name: getattr(settings, name) for name in ("SUMMARISER_BASE_URL", "SUMMARISER_MODEL")}
    missing = [name for name, value in given.items() if not value]
    return f"No model is set up: {' and '.join(missing)} must be set." if missing else ""
