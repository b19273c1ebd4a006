"""What a web server imports: `gunicorn evalsite.wsgi`."""

import os

import django
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.core.management import call_command
from django.urls import reverse

from evalsite.web import static as lean

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")
django.setup(set_prefix=False)
lean.keep_out()  # before the middleware is loaded, which knows the API
application = WSGIHandler()
# All pages, here rather than in the thread of whoever asks first: nobody waits for them, and they
# are in the memory of the process, not in one that the thread has beside it.
reverse("login")
if settings.PRODUCTION:
    # A server that is started by hand must refuse what `manage.py up` refuses.
    call_command("check", databases=["default"])
