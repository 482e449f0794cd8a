import os
import sys

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from config.chunked import with_length

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

# A replay computes for seconds in one thread. The default of 5 ms a turn makes a page beside it wait at each of its
# many small steps; measured: the slowest of nine in ten pages takes half as long at this.
sys.setswitchinterval(0.0005)

application = with_length(get_wsgi_application(), limit=settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
