"""What a web server imports: `gunicorn evalsite.wsgi`."""

import os

from django.conf import settings
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")
application = get_wsgi_application()
if settings.PRODUCTION:
    # A server that is started by hand must refuse what `manage.py up` refuses.
    call_command("check", databases=["default"])
