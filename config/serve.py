"""`make run`: bring the installation up to date, print the login link, become the server."""

import os
import socket
import sys
from pathlib import Path

import django
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, SystemCheckError


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.chdir(Path(__file__).resolve().parent.parent)
    django.setup()
    _check()
    _claim_port(settings.BIND, settings.PORT)
    call_command("migrate", interactive=False, verbosity=0)
    call_command("first_start")
    call_command("collectstatic", interactive=False, verbosity=0)
    print("Sign in as admin, once and within ten minutes:", flush=True)
    call_command("login_link")
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, *granian_arguments()])


def granian_arguments() -> list[str]:
    """The arguments of the interpreter that turn it into the server.

    No `--backpressure`: it counts connections, idle ones too, so that a low one lets a few open
    browser windows shut everybody else out. What is bounded is the threads.
    """
    return [
        *("-m", "granian", "config.wsgi:application", "--interface", "wsgi"),
        *("--host", settings.BIND, "--port", str(settings.PORT)),
        *("--workers", str(settings.WORKERS), "--blocking-threads", str(settings.THREADS)),
        "--no-ws",
        "--respawn-failed-workers",
        # A request that never ends must not keep ctrl-C from ending the server.
        *("--workers-kill-timeout", "10"),
    ]


def _check() -> None:
    """What is wrong with the settings is said before anything is made."""
    try:
        BaseCommand().check()
    except SystemCheckError as error:
        sys.exit(str(error))


def _claim_port(host: str, port: int) -> None:
    """Say before anything is printed that the port is taken, not after the link."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            sys.exit(f"Cannot listen on {host}:{port} ({error.strerror}). Try: make run PORT=8001")


if __name__ == "__main__":
    main()
