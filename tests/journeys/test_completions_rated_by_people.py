"""Two release candidates complete the same starts; people rate what they said side by side, as the judge did."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation import models
from annotation.common import texts as tokens
from annotation.people.models import Role
from annotation.rounds import drafting, drawing, opening, states
from annotation.rounds.models import Round
from scoring.kinds.suites.models import PublishedPart
from tests import make
from tests.scoring import completed, connected, suites, worker
from tests.scoring.completed import Answers

pytestmark = pytest.mark.django_db
N = 6


class Candidates(Answers):
    """Answers briefly as one release and at length as the other; the judge finds the long ones kind."""

    async def reply(self, request):
        said = await super().reply(request)
        if request.role == "judge":
            long = "at length" in request.messages[-1].content
            return type(said)("KIND" if long else "UNKIND")
        return type(said)(f"{said.text} at length" if request.settings.seed == 2 else said.text)


def evaluated():
    """Return a run in which both releases completed the same starts and one judge looked at all."""
    connected.endpoint("Judge")
    for seed, label in ((1, "4.1"), (2, "4.2")):
        to = connected.endpoint(f"house {label}", model_name=label)
        connected.connection(make.release("Kestrel", label), to=to, seed=seed)
    talks = [{**completed.STARTS[1], "id": f"wind {number}"} for number in range(N)]
    for number, talk in enumerate(talks):
        first = {"role": "user", "content": f"May crane {number} turn in this wind?"}
        talk["messages"] = [first, talk["messages"][1]]
    version = completed.saved(
        "[{system: Kestrel, release: '4.1'}, {system: Kestrel, release: '4.2'}]",
        completed.COMPLETED,
    )
    run = suites.requested(version, suites.brought(suites.lines(talks)))
    return completed.worked(run, Candidates())


def published(client, run):
    """Have the turns rated by the form, as a curator does; return the draft."""
    url = reverse("run_publish", args=["northport", run.number])
    form = client.get(url).context["form"]
    groups = [one for key, one in form.fields["rubric"].choices if key and isinstance(one, list)]
    rubric = next(key for group in groups for key, name in group if "kind" in str(name).lower())
    answer = client.post(
        url,
        {
            "key": form["key"].value(),
            "name": "Rated",
            "sort": "turns",
            "releases": [key for key, _name in form.fields["releases"].choices],
            "rubric": rubric,
            "n_seats": 3,
            "seed": "a seed",
        },
    )
    assert answer.status_code == 302, answer.context["form"].errors
    return Round.objects.get()


def graded(round_):
    """Open the round and have three people grade it: what is long gets the higher mark, mostly."""
    users = [make.member(Role.ANNOTATOR, username=f"ann-{n}") for n in (1, 2, 3)]
    by = round_.created_by
    drafting.invite(round_=round_, users=users, by=by, by_owner=True, now=make.NOW, override="")
    drawing.prepare(round_=round_, now=make.NOW)
    opening.request_opening(round_=round_, by=by, now=make.NOW)
    opening.open_round(round_=round_, now=make.NOW)
    round_.refresh_from_db()
    pages = []
    for number, rater in enumerate(make.annotators(round_)):
        browser = Client()
        browser.force_login(make.account(rater))
        for at in range(N):
            seat = make.claim(round_, rater)
            pages.append(browser.get(f"/p/northport/grade/{seat.token}/").content.decode())
            values = {}
            for slot in seat.slots.select_related("round_response__response"):
                text = slot.round_response.response.messages[-1]["content"]
                worth = "at length" in text if (number, at) != (0, 0) else "at length" not in text
                values[tokens.letter(slot.position)] = int(worth)
            make.submit(seat, values)
    return pages


class TestCompletions:
    def test_are_rated_blind_side_by_side_and_stand_beside_the_judge(self, client):
        client.force_login(make.member(Role.CURATOR))
        run = evaluated()
        round_ = published(client, run)

        pages = graded(round_)

        assert run.state == "DONE"
        items = round_.items.all()
        assert [item.responses.count() for item in items] == [2] * N
        assert PublishedPart.objects.count() == 2 * N
        assert len(pages) == 3 * N
        for page in pages:
            assert page.count("at length") >= 1
            for telling in ("Kestrel", "4.1", "4.2", "house"):
                assert telling not in page
        states.close(round_=round_, by=round_.created_by, now=make.at(90))
        client.force_login(make.member(Role.ANALYST))
        ((_judge, rater, _criterion),) = [
            one for by in run.config["judges"].values() for one in by.values()
        ]
        url = f"/api/v1/projects/northport/judges/people/?round={round_.number}&judge={rater}"
        client.get(url)
        worker.compute()
        found = client.get(url).json()
        own = [
            one
            for one in found["coefficients"]
            if (one["coefficient"], one["own_criterion"]) == ("pearson", "kind")
        ]
        assert own[0]["n"] == 2 * N
        assert own[0]["value"] > 0.9
        page = client.get(f"/p/northport/judges/{rater}/people/?round={round_.number}")
        assert page.status_code == 200
        assert models.Grade.objects.count() == 3 * 2 * N
