"""The page on which people sign in."""

from typing import Any

from django.contrib.auth import views
from django.http import HttpResponse

from annotation.forms.sign_in import SignInForm
from annotation.operations import failed_tries
from annotation.queries import setting_up
from evalsite import devices


class SignIn(views.LoginView):
    """Django's page; 429 says to whoever guesses when to go on."""

    authentication_form = SignInForm
    redirect_authenticated_user = True

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        return {**super().get_context_data(**more), "is_new_site": setting_up.is_needed()}

    def form_valid(self, form: Any) -> HttpResponse:
        answer: HttpResponse = super().form_valid(form)
        devices.remember(self.request, answer, form.get_user().username)
        return answer

    def form_invalid(self, form: Any) -> HttpResponse:
        answer = super().form_invalid(form)
        if form.is_barred:
            answer.status_code = 429
            answer.headers["Retry-After"] = str(int(failed_tries.WITHIN.total_seconds()))
        return answer
