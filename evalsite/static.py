"""How static files are named: by content, so that a browser may keep them for ever."""

from whitenoise.storage import CompressedManifestStaticFilesStorage

_any_script, _imports = CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns


class Storage(CompressedManifestStaticFilesStorage):
    """Hash what our ES modules import as well, so that an upgrade never mixes old and new modules."""

    support_js_module_import_aggregation = True
    # Vendored scripts stay untouched.
    _js_module_import_aggregation_patterns = ("js/*.js", _imports)
