#!/bin/sh
# Save the grades of a round: SITE=… TOKEN=… sh fetch_grades.sh PROJECT ROUND grades.csv
set -eu
curl --silent --show-error --fail-with-body --output "$3" \
  "$SITE/api/v1/projects/$1/rounds/$2/grades.csv" \
  --header "Authorization: Bearer $TOKEN"
