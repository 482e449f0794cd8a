"""Login links: each signs one user in, once, within ten minutes."""

from datetime import datetime, timedelta

from django.urls import reverse

from sessions_app.access.digests import digest_of, new_secret
from sessions_app.access.models import LoginLink, User

VALID_FOR = timedelta(minutes=10)


def make_login_link(*, user: User, now: datetime, public_url: str) -> str:
    """Make a link for `user` and return its address. Links that are over are swept out."""
    LoginLink.objects.filter(expires_at__lte=now).delete()
    secret = new_secret()
    LoginLink.objects.create(digest=digest_of(secret), user=user, expires_at=now + VALID_FOR)
    return public_url.rstrip("/") + reverse("login_link", args=[secret])


def user_of(secret: str, now: datetime) -> User | None:
    """Whom the link would sign in. Reads only: previews of links and impatient readers use none up."""
    link = LoginLink.objects.valid(digest=digest_of(secret), now=now).select_related("user").first()
    return link.user if link and link.user.is_active else None


def claim(secret: str, now: datetime) -> User | None:
    """Use the link up and return its user; None if it is over, was used, or never was one."""
    user = user_of(secret, now)
    if user is None or not LoginLink.objects.claim(digest=digest_of(secret), now=now):
        return None
    return user
