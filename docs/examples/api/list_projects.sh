#!/bin/sh
# Print the projects you belong to, with curl alone: SITE=… TOKEN=… sh list_projects.sh
set -eu
curl --silent --show-error --fail-with-body \
  "$SITE/api/v1/projects/" \
  --header "Authorization: Bearer $TOKEN"
