# syntax=docker/dockerfile:1
# rollstamp as images (docs/guides/kpt.md): the KRM function, and the plugin for Argo CD.
#
#   docker build --target function -t rollstamp .
#   docker build --target argocd-cmp -t rollstamp-argocd-cmp .

# A base image with node on its PATH, the user nobody and, for the plugin, /usr/bin/env.
ARG BASE=docker.io/library/node:24.21.0-alpine3.24@sha256:ebfe2f90462722a7a4de65e91990e97fe0d401c70e0e762c5b53302f905ec1c1
# An image with Go, which compiles kustomize and helm, or an image with both in /tools.
ARG TOOLS=docker.io/library/golang:1.26.8-alpine3.24@sha256:8ac98ca534ac3f51e1f420a1dd2c15e74c75cfa0f23f3ad27eb5d7236c349a0c

# The command is JavaScript, so it is built once, on the platform of the builder.
FROM --platform=${BUILDPLATFORM} ${BASE} AS build
WORKDIR /src
COPY . .
RUN ["node", "scripts/image.mjs"]

FROM ${BASE} AS function
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="rollstamp" \
      org.opencontainers.image.description="KRM function: writes digests of ConfigMaps and Secrets into the pod templates that use them" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.source="https://github.com/rollstamp/rollstamp" \
      org.opencontainers.image.documentation="https://github.com/rollstamp/rollstamp/blob/v${VERSION}/docs/guides/kpt.md"
COPY --from=build /src/image/ /
# The number of nobody: Kubernetes cannot verify that a name is not root.
USER 65534:65534
# Overrides the entrypoint and command of the base.
ENTRYPOINT ["node", "/usr/local/lib/rollstamp/rollstamp.cjs"]
CMD []

# kustomize and helm from their modules, verified by Go's checksum database. The linker flags are those of Helm's own Makefile,
# because charts read the versions of helm and Kubernetes.
FROM --platform=${BUILDPLATFORM} ${TOOLS} AS tools
ARG TARGETOS
ARG TARGETARCH
ARG KUSTOMIZE=v5.8.1
ARG HELM=v3.22.0
ARG HELM_KUBERNETES_MINOR=37
ENV CGO_ENABLED=0 GOFLAGS=-trimpath GOOS=${TARGETOS} GOARCH=${TARGETARCH}
RUN [ -d /tools ] || { \
      go install -ldflags "-s -w" "sigs.k8s.io/kustomize/kustomize/v5@${KUSTOMIZE}" && \
      go install -ldflags "-s -w -X helm.sh/helm/v3/internal/version.version=${HELM} \
        -X helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor=1 \
        -X helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor=${HELM_KUBERNETES_MINOR}" \
        "helm.sh/helm/v3/cmd/helm@${HELM}" && \
      mkdir /tools && find /go/bin -type f -exec mv {} /tools/ \; ; }

FROM function AS argocd-cmp
LABEL org.opencontainers.image.title="rollstamp-argocd-cmp" \
      org.opencontainers.image.description="Argo CD config-management plugin: renders kustomizations, Helm charts and plain folders, stamped"
COPY --from=tools /tools/ /usr/local/bin/
COPY functions/argocd-cmp/plugin.yaml /home/argocd/cmp-server/config/plugin.yaml
# The user of Argo CD's containers.
USER 999:999
# Argo CD's repo-server provides this program.
ENTRYPOINT ["/var/run/argocd/argocd-cmp-server"]
