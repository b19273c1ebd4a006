import re

import pytest
from django.urls import reverse

from annotation.people.models import Role
from scoring.figures import labels
from scoring.figures.models import Figure
from tests import make
from tests.scoring import rounds
from tests.scoring.worker import compute

pytestmark = pytest.mark.django_db
PAGES = (
    "results_agreement",
    "results_disputes",
    "results_dispute",
    "results_annotators",
    "results_plan",
)


def at(name, number=1):
    return reverse(name, args=["northport", number])


def computed(client, url):
    """Ask for a page, let the worker compute, ask again."""
    client.get(url)
    compute()
    return client.get(url).content.decode()


def lonely(system, item, rater):
    """The first rater sees it otherwise than all the rest."""
    return 0 if rater == 0 else 2


class TestEveryPage:
    @pytest.mark.parametrize("name", PAGES)
    def test_waits_for_the_worker_at_its_own_address(self, client, analyst, name):
        rounds.graded()

        page = client.get(f"{at(name)}?x=1").content.decode()

        assert f'hx-get="{at(name)}?x=1"' in page
        assert 'aria-current="page"' in page or name == "results_dispute"

    @pytest.mark.parametrize("name", PAGES)
    def test_shows_no_name_of_a_system_or_annotator(self, client, analyst, name):
        rounds.graded(n_items=9, marks=lonely)

        page = computed(client, at(name))

        assert "Kestrel" not in page
        assert "annotator-0" not in page

    @pytest.mark.parametrize("name", PAGES)
    def test_of_a_round_without_grades_can_be_read(self, client, analyst, name):
        rounds.graded(n_items=0, state="OPEN")

        assert "could not be computed" not in computed(client, at(name))

    @pytest.mark.parametrize("name", PAGES)
    def test_is_closed_to_those_who_grade_in_a_round_that_is_not_final(self, client, name):
        round_ = rounds.graded(state="REVIEW")
        both = round_.annotators.first().rater.user
        make.member(Role.ANALYST, username=both.username)
        client.force_login(both)

        assert client.get(at(name)).status_code == 403
        assert not Figure.objects.exists()


class TestTheAgreement:
    def test_offers_no_file_of_what_is_not_drawn(self, client, analyst):
        rounds.graded(n_items=2, n_raters=1)

        page = computed(client, at("results_annotators"))

        assert 'aria-label="Who is severe?, SVG"' not in page
        assert 'aria-label="Pace, CSV"' in page
        assert page.count("No repeats.") == 1

    def test_stands_with_interval_and_n(self, client, analyst):
        rounds.graded(n_items=9)

        page = computed(client, at("results_agreement"))

        assert "Factuality" in page
        assert "Krippendorff (2004)" in page
        assert "No ceiling. No repeats." in page
        assert "Annotator 3" in page

    def test_weighs_pairs_as_chosen_and_says_what_cannot_be_chosen(self, client, analyst):
        rounds.graded(n_items=9)

        linear = computed(client, f"{at('results_agreement')}?kappa=linear")
        wrong = computed(client, f"{at('results_agreement')}?kappa=cubic")

        assert '<option value="linear" selected>' in " ".join(linear.split())
        assert "Choose one of the weights of κ." in wrong

    def test_says_why_it_is_undefined(self, client, analyst):
        rounds.graded(n_raters=1)

        page = computed(client, at("results_agreement"))

        assert "at least two annotators" in page
        assert '<figure class="picture">' not in page


class TestTheDisputes:
    def test_name_the_rules_and_the_cells(self, client, analyst):
        rounds.graded(n_items=9, marks=lonely)

        page = computed(client, at("results_disputes"))

        assert "the smaller side is at least half" in page
        assert "Up to three grades" in page
        assert f"{at('results_dispute')}?rater=" in page

    def test_say_when_a_rule_can_never_hold(self, client, analyst):
        rounds.graded()

        page = computed(client, f"{at('results_disputes')}?question_rule=literal")

        assert "Never holds:" in page

    def test_show_the_usual_rules_beside_what_is_wrong(self, client, analyst):
        rounds.graded()

        page = computed(client, f"{at('results_disputes')}?share=much")

        assert "share must be a number above 0" in page
        assert Figure.objects.get().params["share"] == 0.4

    def test_open_into_the_grades_with_who_stands_alone(self, client, analyst):
        rounds.graded(n_items=2, marks=lonely)

        page = computed(client, f"{at('results_dispute')}?question=Q1-0")

        assert page.count("stands alone") == 2
        assert "Q1-1" not in page
        assert "1 s" in page


class TestTheAnnotators:
    def test_have_severity_and_fair_scores(self, client, analyst):
        rounds.graded(n_items=9, marks=lonely)

        page = computed(client, at("results_annotators"))

        assert "Fair scores" in page
        assert "Draw some into the next round" in page


class TestThePlan:
    def test_takes_difference_and_power_from_the_address(self, client, analyst):
        rounds.graded(n_items=9)

        page = computed(client, f"{at('results_plan')}?delta=10&power=0.9")

        assert 'value="10"' in page
        params = Figure.objects.get().params
        assert (params["delta"], params["power"], params["width"]) == (10, 0.9, 10)

    def test_draws_how_intervals_narrow_and_says_how_many_questions_are_enough(
        self, client, analyst
    ):
        rounds.graded(n_items=9)

        page = computed(client, f"{at('results_plan')}?width=20")

        assert page.count('<figure class="picture">') == 1
        assert "enough: 20 points" in page
        assert "Enough with" in page

    def test_says_what_is_wrong_with_a_size(self, client, analyst):
        rounds.graded(n_items=9)

        assert "must be a number above 0" in computed(client, f"{at('results_plan')}?delta=-1")


class TestGroupsOfAnnotators:
    @pytest.fixture(autouse=True)
    def round_(self):
        return rounds.grouped({"expert": 2, "novice": 2}, n_items=9)

    def test_stand_beside_each_other_and_can_be_chosen(self, client, analyst):
        page = computed(client, at("results_agreement"))
        chosen = computed(client, f"{at('results_agreement')}?raters=expert&kappa=linear")

        assert "expert with novice" in page
        assert 'value="expert" selected' in " ".join(chosen.split())
        assert '<option value="linear" selected' in " ".join(chosen.split())
        assert chosen.count("Annotator 3") == 0 < page.count("Annotator 3")
        assert "?raters=expert&amp;kappa=linear" in chosen

    def test_lead_to_the_scores_that_they_gave(self, client, analyst, round_):
        page = computed(client, at("results_agreement"))

        members = labels.groups(round_)["expert"]
        address = f"{at('results')}?" + "&amp;".join(f"annotator={pk}" for pk in members)
        assert page.count(f'href="{address}"') == 1
        assert "2 annotators" in computed(client, address.replace("&amp;", "&"))

    def test_are_told_apart_in_points_and_by_severity(self, client, analyst):
        page = " ".join(computed(client, at("results_agreement")).split())
        annotators = computed(client, at("results_annotators"))

        assert "expert minus novice" in page
        assert "tables/group-differences.csv" in page
        assert re.search(r"Other annotators too</th>.*?−?\d+\.\d to −?\d+\.\d", page)
        assert "tables/group-severity.csv" in annotators
        assert re.search(r'<th scope="row">expert</th>\s*<td class="r num">−?\d', annotators)
        assert "Called severe or mild are those beyond chance among" in annotators

    def test_that_are_not_there_are_refused_in_words(self, client, analyst):
        page = computed(client, f"{at('results_agreement')}?raters=crowd")

        assert "There is no such group of annotators in this round." in page
        assert "expert with novice" in page


class TestTheModel:
    def test_is_led_to_from_the_scores_and_shows_both(self, client, analyst):
        rounds.graded(n_items=8)

        page = computed(client, at("results_model"))

        assert f'href="{at("results_model")}"' in computed(client, at("results"))
        assert "at most 0.0 points" in " ".join(page.split())
        assert re.search("System . minus System .", page)
        assert "Systems × annotators" in page

    def test_says_in_words_when_it_did_not_converge(self, client, analyst):
        round_ = rounds.graded(n_items=8)
        computed(client, at("results_model"))
        kept = Figure.objects.get(name="model", round=round_)
        kept.data["converged"] = False
        kept.save()

        assert "Not converged" in client.get(at("results_model")).content.decode()

    def test_refuses_one_system_in_words(self, client, analyst):
        rounds.graded(systems=("Kestrel",))

        assert "There is one system only" in computed(client, at("results_model"))
