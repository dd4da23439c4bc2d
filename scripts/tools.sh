# Sourced by run.sh and test.sh: makes the pinned Bun and the project's packages available. Needs $root.

die() {
  echo "$1" >&2
  exit 1
}

ensure_bun() {
  wanted=$(sed -n 's/.*"packageManager": "bun@\(.*\)".*/\1/p' "$root/package.json")
  [ "$(bun --version 2>/dev/null)" = "$wanted" ] && return
  PATH="$root/.tools/node_modules/.bin:$PATH"
  export PATH
  [ "$(bun --version 2>/dev/null)" = "$wanted" ] && return
  command -v npm >/dev/null || die "Bun $wanted is needed: install it from https://bun.sh, or install npm and run this again"
  echo "installing Bun $wanted into .tools"
  npm install --prefix "$root/.tools" --no-fund --no-audit --loglevel=error "bun@$wanted" || die "installing Bun $wanted failed"
  hash -r
  [ "$(bun --version)" = "$wanted" ] || die "Bun $wanted was installed into .tools, but does not start"
  echo "for bun in this shell: export PATH=\"$root/.tools/node_modules/.bin:\$PATH\""
}

ensure_packages() {
  bun install --frozen-lockfile --silent || die "bun install --frozen-lockfile failed"
}

# ensure_debian COMMAND PACKAGE...: installs packages when a command is missing, where that is possible.
ensure_debian() {
  probe=$1
  shift
  sh -c "$probe" >/dev/null 2>&1 || install_debian "$@"
}

install_debian() {
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    die "missing: $* (install these packages, then run this again)"
  fi
  if [ -z "${apt_updated:-}" ]; then
    apt-get update -qq || die "apt-get update failed"
    apt_updated=1
  fi
  echo "installing $*"
  # Packages that start services of their own are kept from it.
  RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null || die "installing $* failed"
}

# need COMMAND PACKAGE...: notes packages as missing when a command is.
need() {
  probe=$1
  shift
  sh -c "$probe" >/dev/null 2>&1 || missing="$missing $*"
}

# What the tests start, installed at once. Chromium without windows is better to have, but not to be had everywhere.
ensure_test_parts() {
  missing=
  need "fc-list :lang=zh | grep -q ." fontconfig fonts-noto-cjk
  need "ls /usr/lib/postgresql/*/bin/initdb || command -v initdb" postgresql
  need "command -v openssl" openssl
  need "command -v redis-server || command -v valkey-server" redis-server
  need "ls /usr/sbin/pgbouncer" pgbouncer
  need "ls /usr/sbin/nginx" nginx-light
  need "ls /usr/sbin/haproxy" haproxy
  need "command -v rpmbuild" rpm
  need "command -v xz" xz-utils
  need "ls /usr/sbin/slapd" slapd
  need "command -v mariadbd || ls /usr/sbin/mariadbd" mariadb-server
  if ! command -v chromium-headless-shell >/dev/null; then
    # Unquoted: one word a package.
    (install_debian $missing chromium-headless-shell) && return
    echo "going on without chromium-headless-shell"
    need "command -v chromium" chromium
  fi
  [ -z "$missing" ] || install_debian $missing
}

# What the cluster stage runs.
ensure_cluster_parts() {
  ensure_debian "ls /usr/lib/postgresql/*/bin/initdb" postgresql
  ensure_debian "command -v psql" postgresql-client
  ensure_debian "command -v patroni && python3 -c 'import etcd, psycopg2'" patroni python3-etcd python3-psycopg2
  ensure_debian "command -v etcd" etcd-server
  ensure_debian "ls /usr/sbin/haproxy" haproxy
  ensure_debian "ls /usr/sbin/pgbouncer" pgbouncer
  ensure_debian "command -v redis-server && command -v redis-cli" redis-server redis-tools
  ensure_debian "ls /usr/lib/*/faketime/libfaketime.so.1" libfaketime
}

# What the container stage runs: a machine of the other architecture, and the packages of its base image.
ensure_container_parts() {
  ensure_debian "command -v qemu-aarch64-static" qemu-user-static
  dpkg --print-foreign-architectures | grep -qx arm64 && return
  dpkg --add-architecture arm64
  apt-get update -qq || die "apt-get update failed"
}
