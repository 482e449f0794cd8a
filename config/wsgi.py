import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from config.chunked import with_length

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = with_length(get_wsgi_application(), limit=settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
