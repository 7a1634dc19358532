# Restarts all Deployments of the namespace: nobody knows which of them read the ConfigMap.
set -eu
patch='{"spec":{"template":{"metadata":{"annotations":{"reloaded-at":"'$(date -u +%Y-%m-%dT%H:%M:%SZ)'"}}}}}'
for deployment in $(kubectl get deployments --output name); do
  kubectl patch "$deployment" --patch "$patch"
done
