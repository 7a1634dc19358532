# Changes the ConfigMap and the stamps of what reads it, in one commit.
set -eu
sed -i 's/LOG_LEVEL: info/LOG_LEVEL: debug/' settings.yaml
rollstamp stamp .
git commit --quiet --all --message "Log more"
