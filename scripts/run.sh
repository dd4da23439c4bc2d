#!/bin/sh
# From a fresh clone to a running gateway on the embedded database: sh scripts/run.sh
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
. scripts/tools.sh

ensure_bun
ensure_packages
bun run build

echo
echo "Sluice: http://localhost:${PORT:-3000}  (Ctrl-C stops it; its data is in ${DATA_DIR:-./data})"
echo
exec dist/sluice serve
