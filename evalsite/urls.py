"""All addresses. Pages of a project live under /p/<project>/, the API under /api/v1/."""

from django.conf import settings
from django.contrib.auth import views as auth
from django.urls import include, path

from evalsite.web import guides, health, operators

handler404 = "evalsite.api.handler.not_found"
handler500 = "evalsite.web.failures.page"

urlpatterns = [
    *operators.routes(settings.OPERATORS_PATH),
    path("healthz", health.healthz, name="healthz"),
    path("help/", guides.index, name="help"),
    path("help/<path:slug>/", guides.page, name="help_page"),
    path("logout/", auth.LogoutView.as_view(), name="logout"),
    path("api/v1/", include("annotation.api_urls")),
    path("api/v1/", include("scoring.api_urls")),
    path("", include("annotation.urls")),
    path("", include("scoring.urls")),
]
