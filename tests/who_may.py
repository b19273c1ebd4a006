"""Who may pass which door: one row for every route, read by tests/test_who_may.py.

A new route needs a row in the module of its room in tests/doors/, or the test fails. A row says who
may look (`see`) and who may change something (`do`); everything else follows:

* nobody signed in: sent to the login page (pages), 401 (API);
* no member of the project, or a member who may not look: 404, as if it did not exist;
* a member who may look but not change: 403 to a POST;
* a route without `do` answers 405 to every POST, one with `got=[]` 405 to every GET.

POSTs are sent empty, so that most who may are answered with 422.
"""

from tests.doors.api import API
from tests.doors.grading import GRADING
from tests.doors.imports import IMPORTS
from tests.doors.pages import PAGES
from tests.doors.reference import REFERENCE
from tests.doors.results import RESULTS
from tests.doors.rounds import ROUNDS
from tests.doors.row import Row
from tests.doors.runs import RUNS
from tests.doors.suites import SUITES
from tests.doors.training import TRAINING

ROWS: dict[str, Row] = {
    **PAGES,
    **REFERENCE,
    **IMPORTS,
    **ROUNDS,
    **GRADING,
    **TRAINING,
    **RUNS,
    **SUITES,
    **RESULTS,
    **API,
}
