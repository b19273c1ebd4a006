"""What a web server imports: `gunicorn evalsite.wsgi`."""

import os

from django.conf import settings
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.urls import reverse

from evalsite import lean

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")
application = get_wsgi_application()
lean.keep_out()
# All pages, here rather than in the thread of whoever asks first: nobody waits for them, and they
# are in the memory of the process, not in one that the thread has beside it.
reverse("login")
if settings.PRODUCTION:
    # A server that is started by hand must refuse what `manage.py up` refuses.
    call_command("check", databases=["default"])
