"""evalsite's commands where the wheel is installed: `evalsite up`, or `python -m evalsite up`."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")
    # Work is shared out among processes; threads of one matrix product only wait for each other.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as problem:
        sys.exit(f"evalsite cannot start: {problem}")


if __name__ == "__main__":
    main()
