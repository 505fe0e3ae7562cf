#!/bin/sh
# Installs Deskpilot for the person who runs this, without root, from the folder it lies in:
#     ./install.sh [--prefix FOLDER]            ~/.local unless told otherwise
#     ./install.sh --remove [--prefix FOLDER]   takes it out again; what you keep in it stays
set -eu
here=$(dirname -- "$(readlink -f -- "$0")")
prefix=$HOME/.local
remove=
while [ $# -gt 0 ]; do
    case $1 in
    --prefix) prefix=$2; shift 2 ;;
    --remove) remove=1; shift ;;
    *) sed -n '2,4s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    esac
done
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
place=$prefix/lib/deskpilot
desktop=$prefix/share/applications/deskpilot.desktop
icon=$prefix/share/icons/hicolor/scalable/apps/deskpilot.svg
page=$prefix/share/man/man1/deskpilot.1.gz

if [ -n "$remove" ]; then
    if [ ! -f "$place/python/installation.json" ]; then
        echo "Deskpilot is not installed in $prefix." >&2
        exit 1
    fi
    rm -rf -- "$place"
    rm -f -- "$prefix/bin/deskpilot" "$desktop" "$icon" "$page"
    echo "Deskpilot was removed. Your conversations and models stay in ${DESKPILOT_HOME:-${XDG_DATA_HOME:-$HOME/.local/share}/deskpilot};"
    echo "remove that folder yourself if you no longer want them."
    exit 0
fi

if [ -e "$place" ] && [ ! -f "$place/python/installation.json" ]; then
    echo "$place exists and is not Deskpilot; specify another folder: --prefix FOLDER." >&2
    exit 1
fi
version() { sed -n 's/.*"version": "\([^"]*\)".*/\1/p' "$1/python/installation.json"; }
if [ -e "$place" ]; then
    old=$(version "$place")
    new=$(version "$here")
    if [ "$old" != "$new" ] && [ "$(printf '%s\n%s\n' "$old" "$new" | sort -V | tail -n 1)" = "$old" ]; then
        echo "Deskpilot $old is installed, and this is the older $new, which cannot read what the newer one wrote." >&2
        echo "To install the older one anyway, first run: $place/install.sh --remove" >&2
        exit 1
    fi
fi
mkdir -p -- "$prefix/lib" "$prefix/bin" "$prefix/share/applications" "$prefix/share/man/man1" \
    "$prefix/share/icons/hicolor/scalable/apps"
# The new one is whole before the old one goes.
rm -rf -- "$place.new"
mkdir -- "$place.new"
cp -a -- "$here/bin" "$here/python" "$here/share" "$here/install.sh" "$place.new/"
[ ! -d "$here/models" ] || cp -a -- "$here/models" "$place.new/"
rm -rf -- "$place.old"
[ ! -e "$place" ] || mv -- "$place" "$place.old"
mv -- "$place.new" "$place"
rm -rf -- "$place.old"
ln -sf -- "$place/bin/deskpilot" "$prefix/bin/deskpilot"
sed "s|^Exec=deskpilot|Exec=\"$prefix/bin/deskpilot\"|" "$here/share/applications/deskpilot.desktop" >"$desktop"
cp -- "$here/share/icons/hicolor/scalable/apps/deskpilot.svg" "$icon"
cp -- "$here/share/man/man1/deskpilot.1.gz" "$page"
echo "Deskpilot is installed. Start it from the desktop's menu, or with: $prefix/bin/deskpilot"
case ":$PATH:" in *":$prefix/bin:"*) ;; *) echo "($prefix/bin is not on this shell's PATH.)" ;; esac
