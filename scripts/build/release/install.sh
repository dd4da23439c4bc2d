#!/bin/sh
# Installs Sluice for one user, without root: sh install.sh [--version V] [--prefix DIR] [--from PLACE] [--uninstall]
#   --version    which one; else the version that this script came with
#   --prefix     where: the program goes to DIR/bin ($HOME/.local)
#   --from       a folder or an address with the archives and SHA256SUMS; else where the script came from
#   --uninstall  removes the program and its companions; data stays
set -eu
version=@VERSION@
from=@URL@
prefix=${HOME:-}/.local
uninstall=

die() {
  echo "install.sh: $1" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  case $1 in
  --version) version=${2:?--version needs one} && shift ;;
  --prefix) prefix=${2:?--prefix needs a folder} && shift ;;
  --from) from=${2:?--from needs a place} && shift ;;
  --uninstall) uninstall=1 ;;
  *) die "unknown option: $1" ;;
  esac
  shift
done

share=$prefix/share
if [ -n "$uninstall" ]; then
  rm -f "$prefix/bin/sluice" "$share/man/man1/sluice.1" "$share/bash-completion/completions/sluice" \
    "$share/zsh/site-functions/_sluice" "$share/fish/vendor_completions.d/sluice.fish"
  echo "removed $prefix/bin/sluice; its data stays where it is"
  exit
fi

case $(uname -s) in
Linux) system=linux ;;
Darwin) system=darwin ;;
*) die "there is no package for $(uname -s): see the documentation" ;;
esac
case $(uname -m) in
x86_64 | amd64) cpu=x64 ;;
aarch64 | arm64) cpu=arm64 ;;
*) die "there is no package for $(uname -m)" ;;
esac
libc=
if [ $system = linux ] && ! getconf GNU_LIBC_VERSION >/dev/null 2>&1; then libc=-musl; fi
name=sluice-$version-$system-$cpu$libc

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
get() {
  case $from in
  "") die "say where the archives are: --from PLACE" ;;
  http://* | https://*)
    if command -v curl >/dev/null; then curl -fsSL "$from/$1" -o "$work/$1" || die "cannot get $from/$1"
    else wget -q "$from/$1" -O "$work/$1" || die "cannot get $from/$1"; fi
    ;;
  *) cp "$from/$1" "$work/$1" || die "cannot read $from/$1" ;;
  esac
}
# macOS unpacks xz by itself; without it the archive is a quarter larger.
if [ $system = darwin ] || command -v xz >/dev/null; then archive=$name.tar.xz; else archive=$name.tar.gz; fi
get "$archive"
get SHA256SUMS
wanted=$(sed -n "s/^\([0-9a-f]*\)  $archive\$/\1/p" "$work/SHA256SUMS")
[ -n "$wanted" ] || die "SHA256SUMS does not have $archive"
if command -v sha256sum >/dev/null; then sum=$(sha256sum "$work/$archive"); else sum=$(shasum -a 256 "$work/$archive"); fi
[ "${sum%% *}" = "$wanted" ] || die "$archive is not what SHA256SUMS says: it was damaged or changed on its way"

case $archive in
*.xz) tar -xJf "$work/$archive" -C "$work" ;;
*) tar -xzf "$work/$archive" -C "$work" ;;
esac
unpacked=$work/$name
place() {
  mkdir -p "$(dirname "$2")" && cp "$unpacked/$1" "$2.new" && mv -f "$2.new" "$2"
}
place man/sluice.1 "$share/man/man1/sluice.1"
place completions/sluice.bash "$share/bash-completion/completions/sluice"
place completions/_sluice "$share/zsh/site-functions/_sluice"
place completions/sluice.fish "$share/fish/vendor_completions.d/sluice.fish"
# Last, and renamed into place: a running gateway goes on with the old one until "sluice reload".
place sluice "$prefix/bin/sluice"
"$prefix/bin/sluice" --version
case :$PATH: in
*":$prefix/bin:"*) ;;
*) echo "add it to your PATH: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
