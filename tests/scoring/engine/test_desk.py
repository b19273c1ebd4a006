import asyncio
import threading

import pytest
from django.db import transaction

from annotation.people.models import Project
from scoring.engine.claims import StepDesk
from tests import make

pytestmark = pytest.mark.django_db


class TestDesk:
    def test_does_in_the_thread_that_serves_what_another_one_hands_in(self):
        desk, here = StepDesk(), threading.get_ident()

        async def work():
            wrote = await desk.write(threading.get_ident)
            read = await desk.read(threading.get_ident)
            return wrote, read, threading.get_ident()

        wrote, read, there = desk.serve(work)

        assert (wrote, read) == (here, here)
        assert there != here

    def test_commits_together_what_waits_at_the_same_moment(self):
        desk, seen = StepDesk(), []

        def deed():
            seen.append(transaction.get_connection().savepoint_ids[-1])

        async def work():
            await asyncio.gather(*(desk.write(deed) for _place in range(20)))

        desk.serve(work)

        assert len(seen) == 20
        assert len(set(seen)) < 20

    def test_does_the_others_again_when_one_fails(self):
        desk, home = StepDesk(), make.project()

        def fail():
            Project.objects.filter(pk=home.pk).update(name="half done")
            raise ZeroDivisionError

        def rename():
            Project.objects.filter(pk=home.pk).update(slug="renamed")
            return "well"

        async def work():
            told = await asyncio.gather(
                desk.write(rename), desk.write(fail), desk.write(rename), return_exceptions=True
            )
            return [one if isinstance(one, str) else type(one) for one in told]

        told = desk.serve(work)

        home.refresh_from_db()
        assert told == ["well", ZeroDivisionError, "well"]
        assert (home.slug, home.name) == ("renamed", "Northport")

    def test_raises_what_the_work_raises(self):
        async def work():
            raise LookupError("nothing")

        with pytest.raises(LookupError):
            StepDesk().serve(work)
