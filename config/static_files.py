from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticFiles(CompressedManifestStaticFilesStorage):
    """Every file under a name that changes with its content, those that our scripts import too.

    Django's own switch for that would read the scripts of packages as well, which import what they do not bring.
    """

    patterns = (
        *CompressedManifestStaticFilesStorage.patterns,
        ("inspector/*.js", ((r'(?P<matched> from "(?P<url>\./[\w.]+)";)', ' from "%(url)s";'),)),
    )
