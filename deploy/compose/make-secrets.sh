#!/bin/sh
# Started by compose.yaml: makes the passwords that its services share, each once. Those that are there stay.
set -eu
cd "${1:-/secrets}"
umask 077

# keep FILE OWNER: what arrives is the file's content where it has none, and OWNER alone can read it.
keep() {
  if [ ! -s "$1" ]; then
    cat >"$1.part"
    mv "$1.part" "$1"
  fi
  chown "$2" "$1"
  chmod 400 "$1"
}

password() {
  head -c 24 /dev/urandom | base64 | tr '+/' '-_'
}

password | keep postgres-password 0
printf 'postgres://sluice:%s@postgres:5432/sluice\n' "$(cat postgres-password)" | keep database-url 65532
password | keep grafana-password 472
# The services' users pass through, and list nothing.
chmod 711 .
