#!/bin/sh
# Save the scores of a round with their intervals: SITE=… TOKEN=… sh fetch_scores.sh PROJECT ROUND scores.csv
set -eu
while status=$(
  curl --silent --show-error --fail-with-body --output "$3" --write-out '%{http_code}' \
    "$SITE/api/v1/projects/$1/rounds/$2/results.csv" \
    --header "Authorization: Bearer $TOKEN"
); do
  [ "$status" = 202 ] || exit 0
  sleep 2 # the scores are being computed
done
cat "$3" # why they could not be had
exit 1
