"""All settings. Each that a person may want to change comes from the environment or from `.env`.

`.env.example` explains every variable.
"""

import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from config.databases import database_from
from config.secret_key import kept_secret_key

BASE_DIR = Path(__file__).resolve().parent.parent

env = environ.Env()
# ENV_FILE lets the tests turn the file off; what the environment says goes before it.
env.read_env(os.environ.get("ENV_FILE", BASE_DIR / ".env"))

VAR_DIR = Path(env.str("VAR_DIR", default=str(BASE_DIR / "var"))).resolve()
# Transcripts are private: nobody else on the machine reads the folder.
VAR_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)

DEBUG: bool = env.bool("DEBUG", default=False)
SECRET_KEY: str = env.str("SECRET_KEY", default="") or kept_secret_key(VAR_DIR / "secret_key")

# --- Where people reach it -------------------------------------------------------------------

BIND: str = env.str("BIND", default="127.0.0.1")
PORT: int = env.int("PORT", default=8000)
WORKERS: int = env.int("WORKERS", default=2)
THREADS: int = env.int("THREADS", default=4)  # of each worker

PUBLIC_URL: str = env.str("PUBLIC_URL", default=f"http://127.0.0.1:{PORT}").rstrip("/")
_public = urlsplit(PUBLIC_URL)
if _public.scheme not in {"http", "https"} or not _public.hostname or _public.path:
    raise ImproperlyConfigured(f"PUBLIC_URL must look like https://host or http://host:port; it is {PUBLIC_URL!r}.")
_https = _public.scheme == "https"
_public_host = f"[{_public.hostname}]" if ":" in _public.hostname else _public.hostname

ALLOWED_HOSTS = list(dict.fromkeys([_public_host, "127.0.0.1", "localhost", "[::1]"]))
CSRF_TRUSTED_ORIGINS = [f"{_public.scheme}://{_public.netloc.rpartition('@')[2]}"]

SESSION_COOKIE_SECURE = _https
CSRF_COOKIE_SECURE = _https
CSRF_FAILURE_VIEW = "config.errors.csrf_failure"
SECURE_SSL_REDIRECT = _https
SECURE_HSTS_SECONDS: int = env.int("HSTS_SECONDS", default=365 * 24 * 3600) if _https else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS: bool = _https and env.bool("HSTS_SUBDOMAINS", default=True)
SECURE_HSTS_PRELOAD = SECURE_HSTS_INCLUDE_SUBDOMAINS

# Only behind a proxy that sets these headers itself: anyone else could send them.
BEHIND_PROXY: bool = env.bool("BEHIND_PROXY", default=False)
if BEHIND_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

# What a transcript holds is never trusted: should some of it reach the page as markup, it may
# neither run nor load nor send anything. htmx needs no exception (eval and its inline style are
# turned off in the base template).
CONTENT_SECURITY_POLICY: dict[str, Any] = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "object-src": [NONE],
    }
}

# --- What it is made of ----------------------------------------------------------------------

INSTALLED_APPS = [
    "django.contrib.admin.apps.SimpleAdminConfig",  # its site is sessions_app.access.admin's
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_htmx",
    "csp",
    "sessions_app.access",
    "sessions_app",
    "inspector",
]

MIDDLEWARE = [
    "config.middleware.HealthFirst",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "config.middleware.DatabaseFailures",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
APPEND_SLASH = False  # A path without its slash is 404; a redirected POST would lose its body.
AUTH_USER_MODEL = "access.User"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]

# --- What it keeps ---------------------------------------------------------------------------

DATABASES = {"default": database_from(env, VAR_DIR, threads=THREADS)}

# Files, because memory would not be shared between the workers, and a throttle that each of them
# counts for itself lets through as many times the rate.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": VAR_DIR / "cache",
    }
}

DATA_UPLOAD_MAX_MEMORY_SIZE = 32 * 1024 * 1024

STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
WHITENOISE_ALLOW_ALL_ORIGINS = False  # nobody else's page needs our files
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.static_files.StaticFiles"},
}

# --- Language and time -----------------------------------------------------------------------

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_TZ = True
TIME_ZONE = "UTC"

# --- The API ---------------------------------------------------------------------------------

REST_FRAMEWORK: dict[str, Any] = {
    # The token first: the first class decides whether no credentials is 401 or 403.
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "sessions_app.api.authentication.TokenAuthentication",
        "sessions_app.api.authentication.BrowserAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PARSER_CLASSES": ["sessions_app.api.parsers.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["sessions_app.api.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "sessions_app.api.problems.exception_handler",
    "URL_FORMAT_OVERRIDE": None,  # ?format= is no parameter of ours
    "NUM_PROXIES": 1 if BEHIND_PROXY else 0,
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}

SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Session engine",
    "DESCRIPTION": "An append-only store of agent conversations and of the windows made of them.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "COMPONENT_SPLIT_REQUEST": True,
    # The docs page asks no other host.
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
}

# --- The product -----------------------------------------------------------------------------

# What the model reads in place of a reply that never came; {tool} and {reason} are filled in.
RECOVERY_TEXT: str = env.str("RECOVERY_TEXT", default="")  # empty: the engine's own wording
STRATEGY_MODULES: list[str] = env.list("STRATEGY_MODULES", default=[])

# The model that writes summaries, at any OpenAI-compatible endpoint. Without it nothing else is missing.
SUMMARISER_BASE_URL: str = env.str("SUMMARISER_BASE_URL", default="").strip()
SUMMARISER_MODEL: str = env.str("SUMMARISER_MODEL", default="").strip()
SUMMARISER_API_KEY: str = env.str("SUMMARISER_API_KEY", default="").strip()
_summariser = urlsplit(SUMMARISER_BASE_URL)
if SUMMARISER_BASE_URL and (
    _summariser.scheme not in {"http", "https"} or not _summariser.hostname or "@" in _summariser.netloc
):
    # What it is instead is not repeated: it may hold a password.
    raise ImproperlyConfigured(
        "SUMMARISER_BASE_URL must look like https://host/v1; a key goes into SUMMARISER_API_KEY."
    )
if not SUMMARISER_API_KEY.isascii() or not SUMMARISER_API_KEY.isprintable():
    raise ImproperlyConfigured("SUMMARISER_API_KEY holds what no header can: it was not copied as it is.")

SIGN_IN_RATE: str = env.str("SIGN_IN_RATE", default="10/min")

# --- Logs ------------------------------------------------------------------------------------

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": "config.logs.OneLineFormatter",
            "format": "{asctime} {levelname} {name}: {message}",
            "style": "{",
        }
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": env.str("LOG_LEVEL", default="INFO").upper()},
    # Django's own handlers would print a second time, or mail.
    "loggers": {"django": {"handlers": [], "level": "NOTSET", "propagate": True}},
}
