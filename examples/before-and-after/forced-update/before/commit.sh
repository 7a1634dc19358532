# Changes the ConfigMap in Git.
set -eu
sed -i 's/LOG_LEVEL: info/LOG_LEVEL: debug/' settings.yaml
git commit --quiet --all --message "Log more"
