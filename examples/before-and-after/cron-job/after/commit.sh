# A scheduled CI job runs this every hour. Only the first run after 04:30 changes something.
set -eu
rollstamp restart --due .
git diff --quiet || git commit --quiet --all --message "Restart what is due"
