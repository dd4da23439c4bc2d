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
  # The log in a database of its own, each of the two away for a minute.
  [ -x dist/sluice ] || bun scripts/build/build.ts
  OWN_LOG_SECONDS="${OWN_LOG_SECONDS:-60}" bun test test/e2e/resilience/storage/own-log.test.ts
  exec bun scripts/soak/cluster/run-cluster.ts "$@"
fi
# The container image for amd64 and arm64, without a container engine; runs alone, and needs root.
if [ "${1:-}" = --container ]; then
  shift
  ensure_container_parts
  ensure_packages
  exec bun scripts/test/container/run-container.ts "$@"
fi
# What the tests start: run-tests.ts has it installed while checks and build run, which need none of it.
if [ "${1:-}" = --parts ]; then
  ensure_test_parts
  exit
fi
ensure_packages
exec bun scripts/test/run-tests.ts "$@"
