#!/bin/sh
# Starts Deskpilot with the Python that lies beside it. Nothing of another Python is used: neither
# its variables nor packages that a person installed for it.
here=$(readlink -f -- "$0") || exit 1
place=${here%/bin/deskpilot}
if [ "$(uname -m)" = x86_64 ] && [ -r /proc/cpuinfo ]; then
    while read -r name _ words; do
        case $name in
        flags)
            case " $words " in
            *" avx2 "*) ;;
            *)
                echo "Deskpilot needs a processor with AVX2 (made in 2013 or later); this one has none." >&2
                exit 1
                ;;
            esac
            break
            ;;
        esac
    done </proc/cpuinfo
fi
unset PYTHONHOME PYTHONPATH PYTHONSTARTUP PYTHONINSPECT PYTHONUSERBASE PYTHONPLATLIBDIR
PYTHONNOUSERSITE=1
PYTHONDONTWRITEBYTECODE=1 # all bytecode is here
export PYTHONNOUSERSITE PYTHONDONTWRITEBYTECODE
exec "$place/python/bin/python3" -P -m app "$@"
