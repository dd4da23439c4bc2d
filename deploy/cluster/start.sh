#!/bin/sh
# Starts everything on this machine from Debian's packages and keeps it until Ctrl-C: three gateways with two workers each,
# HAProxy, PgBouncer, Postgres with a standby under Patroni and etcd, Redis with Sentinel. Needs root, and `bun run build`.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
. scripts/tools.sh
ensure_bun
ensure_cluster_parts
ensure_packages
exec bun scripts/soak/cluster/run-cluster.ts --keep "$@"
