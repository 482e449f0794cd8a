from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from sessions_app.engine import KEPT_FOR
from sessions_app.models import IdempotencyRecord


class Command(BaseCommand):
    help = f"Delete the idempotency records that are older than {KEPT_FOR.days} days."

    def handle(self, **options: Any) -> None:
        expired = IdempotencyRecord.objects.filter(created_at__lt=timezone.now() - KEPT_FOR)
        self.stdout.write(f"{expired.remove()} records deleted.")
