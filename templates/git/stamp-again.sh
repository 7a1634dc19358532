command -v rollstamp >/dev/null 2>&1 || { echo 'rollstamp is not on PATH: stamps may be stale' >&2; exit 0; }
changed=$(__STAMP__) || exit 0
[ -z "$changed" ] || printf 'rollstamp: stamped again, to be committed:\n%s\n' "$changed" >&2
