#!/bin/sh
# Makes the secrets of compose.yaml and of the Kubernetes manifests, each in a file of its own: `deploy/secrets.sh [FOLDER]`.
# What is there already stays as it is. Folder: secrets beside this file. Only its owner can enter it; the files can be
# read by all who can, since the accounts in the containers are not its owner.
set -eu

folder=${1:-$(dirname "$0")/secrets}
database=${DATABASE_HOST:-postgres:5432}
redis=${REDIS_HOST:-valkey:6379}

mkdir -p -m 0700 "$folder"
cd "$folder"
umask 022

random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
# write NAME: its content comes from stdin; never half of it, and never over what is there
write() { if [ -e "$1" ]; then cat >/dev/null; else cat >"$1.new" && mv "$1.new" "$1"; fi; }

random | write postgres_password
random | write owner_password
random | write service_password
random | write redis_password
printf 'postgresql://kibitz:%s@%s/kibitz' "$(cat owner_password)" "$database" | write owner_url
printf 'postgresql://kibitz_service:%s@%s/kibitz' "$(cat service_password)" "$database" | write service_url
printf 'redis://:%s@%s/0' "$(cat redis_password)" "$redis" | write redis_url
printf 'requirepass %s\nsave ""\nappendonly no\n' "$(cat redis_password)" | write valkey.conf
