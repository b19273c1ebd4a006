"""Records what every door answers, so that a rebuilt house can be held against the one before.

    make record                  build the worlds and record every answer
    make compare                 ask the same of the code as it is now, and say what differs
    make compare ONLY=rubrics    only of routes whose name, address or module holds the word

A recording lies in var/recorder/ and is never committed. It holds, of every route, role and world, the
page, JSON or file, its headers and how many queries it took; what an empty form is answered; every
file of every run; the API's document, the tables of the database, the help of every command, the
checksums of protocols. The clock stands still; what is random is masked (masks.py).
"""
