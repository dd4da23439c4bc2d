#!/bin/sh
# Everything that must hold, from a fresh clone: sh scripts/test.sh
# The last line counts what passed and failed; the exit code is 0 only when nothing failed.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
. scripts/tools.sh

ensure_bun
# Replicas, fail-overs and partitions with the real parts of a cluster; runs alone, and for some minutes.
if [ "${1:-}" = --cluster ]; then
  shift
  ensure_cluster_parts
  ensure_packages
  exec bun scripts/soak/cluster/run-cluster.ts "$@"
fi
# The container image for amd64 and arm64, without a container engine; runs alone, and needs root.
if [ "${1:-}" = --container ]; then
  shift
  ensure_container_parts
  ensure_packages
  exec bun scripts/test/container/run-container.ts "$@"
fi
prefer_debian "command -v chromium-headless-shell" chromium-headless-shell
ensure_debian "command -v chromium-headless-shell || command -v chromium" chromium
ensure_debian "fc-list :lang=zh | grep -q ." fontconfig fonts-noto-cjk
ensure_debian "ls /usr/lib/postgresql/*/bin/initdb || command -v initdb" postgresql
ensure_debian "command -v openssl" openssl
ensure_debian "command -v redis-server || command -v valkey-server" redis-server
ensure_debian "ls /usr/sbin/pgbouncer" pgbouncer
ensure_debian "command -v mariadbd || ls /usr/sbin/mariadbd" mariadb-server
ensure_packages
exec bun scripts/test/run-tests.ts "$@"
