"""What the API says of the things of a project: every field named here, and no other."""

from typing import Any

from rest_framework import serializers

from annotation.models import Item, User
from annotation.queries import projects


class ProjectName(serializers.Serializer[Any]):
    """A project somebody belongs to."""

    slug = serializers.CharField(source="project.slug")
    name = serializers.CharField(source="project.name")


class Me(serializers.Serializer[Any]):
    username = serializers.CharField()
    name = serializers.CharField(source="display_name")
    may_start_projects = serializers.SerializerMethodField()

    def get_may_start_projects(self, user: User) -> bool:
        """Say whether they may start a project, with what they are signed in by."""
        return user.confined_to is None and projects.may_start(user)


class ItemOut(serializers.ModelSerializer[Item]):
    capability = serializers.CharField(source="capability.name", default=None)
    n_responses = serializers.IntegerField()
    n_rounds = serializers.IntegerField()

    class Meta:
        model = Item
        fields = (
            "id",
            "external_id",
            "content_sha",
            "capability",
            "difficulty",
            "question_type",
            "as_of",
            "messages",
            "reference",
            "key_points",
            "extra",
            "n_responses",
            "n_rounds",
        )


class ReleaseOut(serializers.Serializer[Any]):
    id = serializers.IntegerField(source="release.pk")
    label = serializers.CharField(source="release.label")  # type: ignore[assignment]
    notes = serializers.CharField(source="release.notes")
    web_access = serializers.BooleanField(source="release.web_access", allow_null=True)
    retrieval = serializers.BooleanField(source="release.retrieval", allow_null=True)
    tools = serializers.BooleanField(source="release.tools", allow_null=True)
    context_length = serializers.IntegerField(source="release.context_length", allow_null=True)
    knowledge_until = serializers.CharField(source="release.knowledge_until")
    n_responses = serializers.IntegerField()
    n_items = serializers.IntegerField()


class SystemOut(serializers.Serializer[Any]):
    id = serializers.IntegerField(source="system.pk")
    name = serializers.CharField(source="system.name")
    aliases = serializers.ListField(source="system.aliases")
    colour = serializers.IntegerField(source="system.colour")
    releases = ReleaseOut(many=True)
