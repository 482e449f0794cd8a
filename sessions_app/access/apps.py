from django.apps import AppConfig


class AccessConfig(AppConfig):
    name = "sessions_app.access"
    label = "access"
    default_auto_field = "django.db.models.BigAutoField"
