#!/bin/sh
# Adds a vendor, lists vendors and reads what changed, with curl. `jq` would read answers better; sed is everywhere.
#
#     VERITRAIL_URL=http://127.0.0.1:8080 VERITRAIL_TOKEN=vtr_… sh examples/client.sh
set -eu
url=${VERITRAIL_URL:-http://127.0.0.1:8080}

# Calls a tool with an input as JSON, and prints the answer. Fails when the service refuses the call.
call() {
  answer=$(curl --silent --show-error --write-out '\n%{http_code}' "$url/api/mcp/tools/$1" \
    --header "Authorization: Bearer $VERITRAIL_TOKEN" --header 'Content-Type: application/json' --data "$2")
  printf '%s\n' "$answer" | sed '$d'
  [ "${answer##*
}" = 200 ]
}

# Prints the first value of a text field.
field() {
  printf '%s\n' "$2" | grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4
}

organizations=$(call listOrganizations '{}')
organization_id=$(field id "$organizations")
echo "organization: $(field name "$organizations")"

# A repeated call with the same key adds no second vendor, so it is safe to retry after a timeout.
draft="\"organization_id\":\"$organization_id\",\"name\":\"Fjord Hosting\",\"idempotency_key\":\"$(date +%s)-$$\""
if ! added=$(call addVendor "{$draft,\"criticality\":\"SEVERE\"}"); then
  [ "$(field code "$added")" = invalid_input ] || { echo "$added" >&2; exit 1; }
  echo "refused: $(field message "$added")"
  added=$(call addVendor "{$draft,\"criticality\":\"CRITICAL\"}")
fi
echo "added: $(field name "$added")"

call listVendors "{\"organization_id\":\"$organization_id\"}" | grep -o '"name":"[^"]*","status":"[^"]*"' |
  sed 's/"name":"\(.*\)","status":"\(.*\)"/vendor: \1, \2/'

vendor_id=$(field id "$added")
call listChanges "{\"organization_id\":\"$organization_id\",\"filter\":{\"record_id\":[\"$vendor_id\"]}}" |
  sed 's/},{"position"/}\n{"position"/g' |
  sed -n 's/.*"event_type":"\([^"]*\)".*"revision":\([0-9]*\).*/change: \1, revision \2/p'
