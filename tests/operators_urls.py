"""The site's addresses with the operators' desk, which the settings of the other tests leave out."""

from evalsite import urls
from evalsite.web import operators

handler404 = urls.handler404
urlpatterns = [*operators.routes("operators"), *urls.urlpatterns]
