"""Describe the workbook or ZIP on the standard input: run as a process, which may take so much and no more.

Its arguments say how many bytes it may have when it is unpacked, how it is called, and what a person told of it.

A library of workbooks keeps all texts of one in memory, however few rows are asked for.
"""

import json
import resource
import sys
from dataclasses import replace

from annotation.files.cells import BadFile
from annotation.files.look import layouts, workbooks, zips
from annotation.files.look.layouts import Layout

MOST_MEMORY = 2 * 1024**3
MOST_SECONDS = 30


def main() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    with open(sys.stdin.fileno(), "rb", closefd=False) as file:
        try:
            most, name, told = float(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3])
            if zips.are_here(name):
                workbooks.weigh(file, most, "damaged_archive")
                layout = zips.describe(file, told, most)
                records = zips.read_members(layout, file, most)
            else:
                workbooks.weigh(file, most)
                layout = workbooks.describe(Layout("workbook", told=told), file, name)
                records = workbooks.read_sheet(layout, file)
            columns, n_sampled = layouts.columns_of(records)
        except BadFile as stop:
            found = {"problem": stop.problem.as_dict()}
        else:
            found = {"layout": replace(layout, columns=columns, n_sampled=n_sampled).as_dict()}
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
