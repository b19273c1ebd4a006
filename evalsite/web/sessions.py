"""Who is signed in: asked with every request, so its two questions are worked out once."""

from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.backends import ModelBackend
from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone

from evalsite.db import prepared

_SESSION = prepared.PreparedQuery(
    lambda key, now: Session.objects.filter(session_key=key, expire_date__gt=now),
    key=str,
    now=datetime,
)
_USER = prepared.PreparedQuery(lambda pk: get_user_model()._default_manager.filter(pk=pk), pk=int)


class SessionStore(db.SessionStore):
    """Django's sessions in the database."""

    def _get_session_from_db(self) -> Any:
        found = _SESSION.first(key=self.session_key, now=timezone.now())
        if found is None:
            self._session_key = None
        return found


class Accounts(ModelBackend):
    """Django's accounts, by user name and password."""

    def get_user(self, user_id: Any) -> Any:
        user = _USER.first(pk=int(user_id))
        return user if user is not None and self.user_can_authenticate(user) else None
