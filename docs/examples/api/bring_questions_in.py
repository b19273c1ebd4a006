"""Bring questions from a file into the bank, and hand them in for inspection.

    python bring_questions_in.py PROJECT questions.jsonl

A line of the file is a JSON object: name, question, answer, capability (its name), difficulty
(SIMPLE, INTERMEDIATE or DIFFICULT), source (the title of what the answer rests on) and says (what
stands there). A name that the bank has already is left out, a source that it lacks is taken in.
"""

import json
import sys

from client import call, rows

project, path = sys.argv[1:]
home = f"/api/v1/projects/{project}"
capabilities = {one["name"]: one["id"] for one in rows(f"{home}/capabilities/")}
known = {one["external_id"] for one in rows(f"{home}/questions/")}
sources = {one["title"]: one["id"] for one in rows(f"{home}/sources/")}


def version_of(title, says):
    """Return the id of the newest version of a source."""
    if title not in sources:
        sources[title] = call(f"{home}/sources/", {"title": title, "text": says})["id"]
    return call(f"{home}/sources/{sources[title]}/")["versions"][0]["id"]


with open(path, encoding="utf-8") as lines:
    for line in lines:
        given = json.loads(line)
        if given["name"] in known:
            print(f"{given['name']}: there already")
            continue
        if given["capability"] not in capabilities:
            sys.exit(
                f"{given['name']}: there is no capability {given['capability']!r} in {project}; "
                f"there are: {', '.join(capabilities)}"
            )
        draft = {
            "external_id": given["name"],
            "turns": [{"role": "user", "content": given["question"]}],
            "answer": given["answer"],
            "capability_id": capabilities[given["capability"]],
            "difficulty": given["difficulty"],
            "question_type": "FACTUAL",
            "language": "en",
            "cited": [{"source_version": version_of(given["source"], given["says"])}],
        }
        made = call(f"{home}/questions/", draft)
        handed_in = call(f"{home}/questions/{made['id']}/", {"act": "submit"})
        print(f"{given['name']}: {handed_in['versions'][0]['state']}")
