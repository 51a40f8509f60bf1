#!/bin/sh
# Run once by the image of PostgreSQL, when its volume is empty: the accounts, and the database, which none of them but
# `kibitz` may change. Whoever takes over a process that serves has `kibitz_service`: it can add events, and not one more
# thing to them. The password files are secrets; each holds one password of letters and digits.
set -eu

psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres \
  --set owner="$(cat "$OWNER_PASSWORD_FILE")" --set service="$(cat "$SERVICE_PASSWORD_FILE")" <<'SQL'
create role kibitz_app nologin;
create role kibitz login password :'owner' in role kibitz_app;
create role kibitz_service login password :'service' in role kibitz_app;
create database kibitz owner kibitz;
revoke connect, temporary on database kibitz from public;
grant connect on database kibitz to kibitz_service;
grant create on database kibitz to kibitz_app;
SQL
