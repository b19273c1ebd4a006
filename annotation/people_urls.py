"""Pages of accounts, projects, their settings and the people in them."""

from django.urls import path

from annotation.views import (
    account,
    invitations,
    passwords,
    people,
    personal_tokens,
    project_settings,
    projects,
    setting_up,
    workload,
)

urlpatterns = [
    path("account/", account.account, name="account"),
    path("account/devices/end/", account.account_devices, name="account_devices"),
    path("account/erase/", account.account_erase, name="account_erase"),
    path("account/tokens/", personal_tokens.tokens, name="account_tokens"),
    path("account/tokens/revoke/", personal_tokens.tokens_revoke_all, name="account_tokens_revoke"),
    path(
        "account/tokens/<int:pk>/revoke/",
        personal_tokens.token_revoke,
        name="account_token_revoke",
    ),
    path("account/preferences/", account.preferences, name="preferences"),
    path("password/", passwords.forgotten, name="password_forgotten"),
    path("password/<uuid:person>/<str:token>/", passwords.link, name="password_link"),
    path("set-up/<str:token>/", setting_up.set_up, name="set_up"),
    path("projects/", projects.projects, name="projects"),
    path("projects/new/", projects.project_new, name="project_new"),
    path("p/<slug:project>/settings/", projects.project_settings, name="project_settings"),
    path("p/<slug:project>/settings/rules/", project_settings.rules, name="settings_rules"),
    path("p/<slug:project>/settings/bank/", project_settings.bank, name="settings_bank"),
    path("p/<slug:project>/settings/masks/", project_settings.masks, name="settings_masks"),
    path(
        "p/<slug:project>/settings/retention/",
        project_settings.retention,
        name="settings_retention",
    ),
    path("p/<slug:project>/people/", people.people, name="people"),
    path("p/<slug:project>/people/add/", people.person_add, name="person_add"),
    path("join/<str:token>/", invitations.join, name="join"),
    path("p/<slug:project>/people/invitations/", invitations.invitations, name="invitations"),
    path(
        "p/<slug:project>/people/invitations/<int:pk>/revoke/",
        invitations.invitation_revoke,
        name="invitation_revoke",
    ),
    path(
        "p/<slug:project>/people/password-links/<int:pk>/take-back/",
        people.password_link_take_back,
        name="password_link_take_back",
    ),
    path("p/<slug:project>/people/new/", people.person_new, name="person_new"),
    path("p/<slug:project>/people/<uuid:person>/", people.person, name="person"),
    path(
        "p/<slug:project>/people/<uuid:person>/erase/", workload.person_erase, name="person_erase"
    ),
    path("p/<slug:project>/workload/", workload.workload, name="workload"),
    path("p/<slug:project>/workload/times.csv", workload.workload_times, name="workload_times"),
    path(
        "p/<slug:project>/workload/<uuid:person>/leave/",
        workload.workload_leave,
        name="workload_leave",
    ),
]
