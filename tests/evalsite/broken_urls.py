"""An API in which something breaks."""

from django.urls import path

from evalsite.urls import handler404, handler500, urlpatterns

__all__ = ["handler404", "handler500"]


def breaks(_request):
    raise RuntimeError("secret of the plug")


urlpatterns = [path("api/v1/breaks/", breaks, name="breaks"), *urlpatterns]
