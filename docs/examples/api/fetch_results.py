"""Save the grades of a round as CSV, and print how far its annotators agree.

python fetch_results.py PROJECT ROUND grades.csv
"""

import json
import sys

from client import figure

project, number, path = sys.argv[1:]
home = f"/api/v1/projects/{project}/rounds/{number}"
with open(path, "wb") as file:
    file.write(figure(f"{home}/grades.csv"))
agreement = json.loads(figure(f"{home}/agreement/"))
overall = agreement["overall"]
print(
    f"{overall['n_marks']} grades by {overall['n_raters']} annotators of {overall['n_units']} answers"
)
for one in overall["coefficients"]:
    if one["value"] is None:
        print(f"  {one['name']}: none ({one['reason']})")
    else:
        between = "" if one["low"] is None else f" ({one['low']:.2f} to {one['high']:.2f})"
        print(f"  {one['name']}: {one['value']:.2f}{between}")
