"""Pages of training, trials and qualification."""

from django.urls import path

from annotation.views import qualification, training, training_examples, trials

P = "p/<slug:project>/"

urlpatterns = [
    # Annotators: plain values only
    path(P + "training/", training.training, name="training"),
    path(P + "training/<int:number>/", training.training_example, name="training_example"),
    path(P + "training/trials/<int:number>/", training.training_trial, name="training_trial"),
    # Curators
    path(P + "annotators/", qualification.pool, name="pool"),
    path(P + "annotators/<uuid:person>/", qualification.pool_person, name="pool_person"),
    path(P + "annotators/<uuid:person>/<int:pk>/", qualification.pool_say, name="pool_say"),
    path(P + "annotators/rules/", qualification.pool_rules, name="pool_rules"),
    path(P + "annotators/rules/<int:pk>/", qualification.pool_rule, name="pool_rule"),
    path(P + "annotators/training/", training_examples.examples, name="examples"),
    path(
        P + "annotators/training/<int:pk>/new/", training_examples.example_new, name="example_new"
    ),
    path(
        P + "annotators/training/<int:pk>/adopt/",
        training_examples.example_adopt,
        name="example_adopt",
    ),
    path(
        P + "annotators/training/<int:number>/withdraw/",
        training_examples.example_withdraw,
        name="example_withdraw",
    ),
    path(P + "annotators/trials/", trials.trials, name="trials"),
    path(P + "annotators/trials/new/", trials.trial_new, name="trial_new"),
    path(P + "rounds/<int:number>/references/", trials.round_references, name="round_references"),
]
