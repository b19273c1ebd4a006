"""Models for tests of procedures: they answer from a list and remember what they were asked."""

from scoring.llm.base import Reply


class Answering:
    """Answers from its lines in order, the last again and again; an exception in them is raised."""

    def __init__(self, *lines):
        self.lines, self.requests = lines, []

    async def reply(self, request):
        said = self.lines[min(len(self.requests), len(self.lines) - 1)]
        self.requests.append(request)
        if callable(said):
            said = said(request)
        if isinstance(said, Exception):
            raise said
        return said if isinstance(said, Reply) else Reply(said)
