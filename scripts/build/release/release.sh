#!/bin/sh
# Everything of a release, in dist/release: sh scripts/build/release/release.sh [--targets=ID,ID] [--url=ADDRESS] [--homepage=ADDRESS]
set -eu
root=$(cd "$(dirname "$0")/../../.." && pwd)
cd "$root"
. scripts/tools.sh

ensure_bun
ensure_debian "command -v rpmbuild" rpm
ensure_debian "command -v xz" xz-utils
ensure_packages
exec bun scripts/build/release/release.ts "$@"
