import pytest

from annotation.people.models import Role
from tests import make
from tests.scoring import beside_people, worker

pytestmark = pytest.mark.django_db
HERE = "/p/northport/judges/people/"


@pytest.fixture(name="analyst")
def _analyst(client):
    beside_people.world()
    client.force_login(make.member(Role.ANALYST))
    return client


def ready(client, url):
    """Ask for a file, let the worker compute, ask again."""
    assert client.get(url).status_code == 302
    worker.compute()
    answer = client.get(url)
    assert answer.status_code == 200
    return b"".join(answer).decode()


def of(name):
    return f"/p/northport/judges/{beside_people.judge(name)}/people/"


class TestJudgesCsv:
    def test_streams_every_judge_at_the_level_chosen(self, analyst):
        text = ready(analyst, f"{HERE}tables/coefficients.csv?level=item")

        assert text.count("\n") == 1 + 3 * 4
        assert "good,coh,coherence,item,pearson," in text

    def test_streams_one_judge(self, analyst):
        assert "pooled,kendall_b," in ready(analyst, f"{of('good')}tables/levels.csv")

    def test_leads_to_the_page_that_says_what_is_wrong(self, analyst):
        answer = analyst.get(f"{HERE}tables/coefficients.csv?level=word")

        assert answer.url == f"{HERE}?level=word"

    @pytest.mark.parametrize("url", ["tables/levels.csv", "tables/x.csv", "plots/cloud.svg"])
    def test_is_nowhere_for_what_the_page_does_not_show(self, analyst, url):
        assert analyst.get(HERE + url).status_code == 404

    def test_is_nowhere_for_what_is_no_judge(self, analyst):
        url = "/p/northport/judges/99999/people/tables/levels.csv"
        assert analyst.get(url).status_code == 404


class TestJudgesSvg:
    def test_sends_the_plots(self, analyst):
        assert ">guess<" in ready(analyst, f"{HERE}plots/judges.svg")
        assert "<path" in ready(analyst, f"{of('good')}plots/cloud.svg")

    def test_leads_to_the_page_where_there_is_nothing_to_draw(self, analyst):
        query = "&".join(f"map.coh.{beside_people.judge(n)}=" for n in ("good", "guess", "rouge"))
        url = f"{HERE}plots/judges.svg?{query}"
        analyst.get(url)
        worker.compute()

        assert analyst.get(url).url == f"{HERE}?{analyst.get(url).wsgi_request.GET.urlencode()}"
