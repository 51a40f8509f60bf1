#!/bin/sh
# The beginning of a match with curl alone: a guest opens a table and sits down, two bots join, and the match starts;
# then it shows the table and what the guest may play. It makes no move. Needs a running service; jq is not needed.
#
# sh play.sh http://127.0.0.1:8000
set -eu
base=${1:-http://127.0.0.1:8000}
field() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }

token=$(curl -sS --json '{"name":"Anna"}' "$base/v1/players" | field token)
auth="Authorization: Bearer $token"
match=$(curl -sS -H "$auth" --json '{"game":"whos-the-ass","seats":3}' "$base/v1/matches" | field match | head -n 1)
curl -sS -H "$auth" --json '{"seat":0}' "$base/v1/matches/$match/seats" >/dev/null
curl -sS -H "$auth" --json '{"seats":[1,2]}' "$base/v1/matches/$match/bots" >/dev/null
echo "the table:"
curl -sS -H "$auth" "$base/v1/matches/$match"
echo
echo "what I can play (nothing, until it is my turn):"
curl -sS -H "$auth" "$base/v1/matches/$match/moves"
echo
