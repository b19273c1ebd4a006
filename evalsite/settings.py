"""Django settings. What differs between installations comes from the environment (docs/operator.md)."""

from csp.constants import NONE, SELF

from evalsite import env

BASE_DIR = env.BASE_DIR
DATA_DIR = env.data_dir()
DEBUG = env.flag("DEBUG")
SECRET_KEY = env.secret_key(DATA_DIR)
# Older ones, under which keys of endpoints may still be sealed (evalsite/db/secrets.py).
SECRET_KEY_FALLBACKS = env.words("SECRET_KEY_FALLBACKS")
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
CSRF_TRUSTED_ORIGINS = env.words("CSRF_TRUSTED_ORIGINS")
PRODUCTION = env.flag("EVALSITE_PRODUCTION")

INSTALLED_APPS = [
    "annotation",  # before Django's accounts: its command changepassword takes the place of theirs
    "django.contrib.admin.apps.SimpleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "csp",
    "django_htmx",
    "django_rq",
    "rest_framework",
    "evalsite",
    "scoring",
]

MIDDLEWARE = [
    "evalsite.web.logs.RequestIds",
    "evalsite.web.middleware.Heads",
    "evalsite.api.errors.OneShape",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.locale.LocaleMiddleware",  # before what refuses; after files, which have no language
    "csp.middleware.CSPMiddleware",
    "evalsite.web.middleware.PrivatePages",
    "evalsite.front.doors.Refusals",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "annotation.people.middleware.PersonalTokens",
    "annotation.people.middleware.Languages",  # who asks is known
    "evalsite.front.doors.Senders",
    "evalsite.web.middleware.LoginRequired",
    "annotation.people.middleware.OwnPasswords",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "annotation.people.middleware.KeptAnswers",  # last: who asks and whether they may is settled
]

ROOT_URLCONF = "evalsite.urls"
WSGI_APPLICATION = "evalsite.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,  # for the admin's own; ours come first
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "django.template.context_processors.i18n",
                "annotation.home.search_pages.context",
                "annotation.people.permissions.context",
            ],
        },
    }
]

DATABASES = {"default": env.database(DATA_DIR)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "annotation.User"
LOGIN_URL = "login"
# Where operators find their desk; "off" for nowhere.
OPERATORS_PATH = env.path("EVALSITE_OPERATORS_PATH", "operators")
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

PASSWORD_RESET_TIMEOUT = 2 * 3600  # seconds that a link to a new password works

# Mails: printed, unless a mail server is named. SITE_ADDRESS makes their links.
_MAIL = env.mail()
EMAIL_BACKEND = _MAIL.backend
EMAIL_HOST, EMAIL_PORT, EMAIL_TIMEOUT = _MAIL.host, _MAIL.port, 20
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = _MAIL.user, _MAIL.password
EMAIL_USE_TLS, EMAIL_USE_SSL = _MAIL.asks_for_tls, _MAIL.is_tls
DEFAULT_FROM_EMAIL = env.text("EVALSITE_MAIL_FROM", "evalsite@localhost")
SITE_ADDRESS = env.text("EVALSITE_ADDRESS").rstrip("/")

LANGUAGE_CODE = "en"
# Each by its own name. Which pages are there in all of them says evalsite/web/languages.py.
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [BASE_DIR / "evalsite" / "locale"]
# A choice before signing in; it moves into the account of whoever signs in.
LANGUAGE_COOKIE_AGE = 400 * 24 * 3600
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "evalsite.web.static.Storage"},
}

SESSION_ENGINE = "evalsite.web.sessions"
AUTHENTICATION_BACKENDS = ["evalsite.web.sessions.Accounts"]
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
if PRODUCTION:
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = env.number("EVALSITE_HSTS", 3600)
# Names below this one, and lists in browsers, are for whoever owns the domain; to HTTPS leads the proxy.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W008", "security.W021"]

# Hash of the empty <style> element that plotly fills through the CSSOM.
EMPTY_STYLE = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF, EMPTY_STYLE],
        "font-src": [SELF],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

# Pictures of other hosts that answers point to (evalsite/outside/pictures.py): at most 1 GB, for a week.
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    "pictures": {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": DATA_DIR / "pictures",
        "TIMEOUT": 7 * 24 * 3600,
        "OPTIONS": {"MAX_ENTRIES": 250},
    },
}

REDIS_URL = env.text("REDIS_URL", env.socket_url(DATA_DIR))
QUEUE_CLIENT = "evalsite.queue.redis_client"
QUEUE_INLINE = False  # True runs a job where it is queued; for tests
RQ_QUEUES = {
    name: {"URL": REDIS_URL, "DEFAULT_TIMEOUT": 3600, "SERIALIZER": "rq.serializers.JSONSerializer"}
    for name in ("default", "bulk", "large", "insight", "runs")
}
# Imported once by a worker before it takes its first job, so that no job pays for it.
QUEUE_PRELOAD = {
    "default": ["annotation.jobs"],
    "bulk": ["annotation.jobs"],
    "large": ["annotation.jobs"],
    "insight": ["scoring.jobs"],
}
# The same, but only when the first job comes: a site that starts no runs needs no memory for them.
QUEUE_PRELOAD_LATE = {"runs": ["scoring.run_jobs", "scoring.llm.openai_client"]}

# Processes of the worker of "default" that do what may take long, so that nothing short waits for it
# (they share its memory): the first of them takes no work of minutes. And seconds after which such a
# job lets others have their turn.
BULK_WORKERS = max(2, env.number("EVALSITE_BULK_WORKERS", 2))
BULK_SLICE = env.number("EVALSITE_BULK_SLICE", 10)

# Runs: worker processes of `manage.py up`; seconds that a step belongs to a worker that is not heard
# of; seconds after which a job lets other runs have their turn, if any wait.
RUN_WORKERS = env.number("EVALSITE_RUN_WORKERS", 2)
RUN_LEASE = env.number("EVALSITE_RUN_LEASE", 60)
RUN_SLICE = env.number("EVALSITE_RUN_SLICE", 30)

# Endpoints: private networks they may be in (NETWORK@project), and the variables that hold keys, each
# with the address and the project it is for (NAME@host@project; evalsite/allowances.py).
ENDPOINT_NETWORKS = env.networks("EVALSITE_ENDPOINT_NETWORKS")
ENDPOINT_KEYS = env.words("EVALSITE_ENDPOINT_KEYS")

# Who may start projects: owners of one (and whom an operator lets), operators alone, or everybody.
PROJECT_STARTERS = env.choice("EVALSITE_PROJECT_STARTERS", ("owners", "operators", "everybody"))

# MB of files that a project keeps of imports and whole banks; 0 is no limit.
PROJECT_FILES = env.number("EVALSITE_PROJECT_FILES", 5000)

# Modules with an organisation's own function metrics of suites (docs/suites.md).
METRIC_MODULES = env.words("EVALSITE_METRIC_MODULES")

REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["evalsite.api.requests.CarefulJson"],
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "annotation.people.middleware.TokenAuthentication",
        "evalsite.api.requests.SiteSession",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "EXCEPTION_HANDLER": "evalsite.api.handler.explain",
    "DEFAULT_PAGINATION_CLASS": None,
    "DEFAULT_METADATA_CLASS": None,
    "UNAUTHENTICATED_USER": None,
    # The address says the form; ?format= is a parameter like others, and unknown.
    "URL_FORMAT_OVERRIDE": None,
}
#: How serializers become schemas in the OpenAPI document (evalsite/contract).
SPECTACULAR_SETTINGS = {
    "OAS_VERSION": "3.1.0",
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
}

# Less than this is free, in bytes, and /healthz says so (evalsite/web/health.py).
LEAST_SPACE = env.number("EVALSITE_LEAST_SPACE", 200) * 1024 * 1024

DATA_UPLOAD_MAX_MEMORY_SIZE = 20 * 1024 * 1024
# The largest file that is brought in, as it is and unpacked; and the largest body of who is signed in
# (whole banks may have 200 MB).
FILE_MOST = max(1, env.number("EVALSITE_FILE_MB", 256)) * 1024 * 1024
BODY_MOST = max(FILE_MOST, 200 * 1024 * 1024)

LOG_FORMAT = env.choice("EVALSITE_LOG", ("text", "json"))
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {"()": "evalsite.web.logs.LogLines"},
        "json": {"()": "evalsite.web.logs.LogObjects"},
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT}},
    "root": {"handlers": ["console"], "level": env.text("LOG_LEVEL", "WARNING")},
    "loggers": {
        # Django's own handlers mail admins and repeat every line; one line on the console will do.
        "django": {"handlers": [], "level": "WARNING", "propagate": True},
        "gunicorn.http.wsgi": {"handlers": [], "level": "ERROR", "propagate": True},
        # Below this they log headers and what a server said, which may hold a key.
        "httpx2": {"handlers": [], "level": "WARNING", "propagate": True},
        "httpcore2": {"handlers": [], "level": "WARNING", "propagate": True},
        # Every 4xx is already in the access log.
        "django.request": {"handlers": [], "level": "ERROR", "propagate": True},
    },
}
