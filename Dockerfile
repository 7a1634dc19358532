# syntax=docker/dockerfile:1
# The KRM function as an image. BASE is an image with node on its PATH and the user nobody.
ARG BASE=docker.io/library/node:24-bookworm-slim

FROM ${BASE} AS build
WORKDIR /src
COPY . .
RUN npm ci

FROM ${BASE} AS function
COPY --from=build /src/dist/rollstamp.cjs /usr/local/bin/rollstamp
USER nobody
ENTRYPOINT ["/usr/local/bin/rollstamp"]
