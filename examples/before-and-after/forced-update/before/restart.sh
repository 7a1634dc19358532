# Deletes the Deployment and creates it again.
set -eu
kubectl replace --force --filename web.yaml
