"""The site's addresses with the operators' desk, which the settings of the other tests leave out."""

from evalsite import operators, urls

handler404 = urls.handler404
urlpatterns = [*operators.routes("operators"), *urls.urlpatterns]
