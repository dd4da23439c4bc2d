# syntax=docker/dockerfile:1

# Builds on the machine's own platform, for whichever one the image is for.
FROM --platform=$BUILDPLATFORM docker.io/oven/bun:1.4.5-debian AS build
WORKDIR /build
COPY package.json bun.lock bunfig.toml tsconfig.json ./
COPY patches patches
RUN bun install --frozen-lockfile
COPY src src
COPY db db
COPY ui ui
COPY scripts scripts
COPY docs docs
COPY ARCHITECTURE.md CONTRIBUTING.md ./
ARG SOURCE_COMMIT=unknown
# Set by BuildKit: amd64 or arm64.
ARG TARGETARCH
RUN bun run build "--target=bun-linux-$(echo "$TARGETARCH" | sed s/amd64/x64/)" && mv dist/sluice-linux-* dist/sluice && mkdir /data

# glibc, certificates and time zones, no shell; runs as uid 65532.
FROM gcr.io/distroless/base-debian12:nonroot
COPY --from=build /build/dist/sluice /usr/local/bin/sluice
COPY --from=build /build/dist/sbom/sluice.cdx.json /usr/local/share/sluice/sluice.cdx.json
COPY --from=build --chown=65532:65532 /data /data
ENV DATA_DIR=/data
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 CMD ["/usr/local/bin/sluice", "healthcheck"]
# Docker waits 10 s by default before it kills; open calls get SHUTDOWN_TIMEOUT (30 s): see stop_grace_period in compose.yaml.
STOPSIGNAL SIGTERM
ENTRYPOINT ["/usr/local/bin/sluice"]
CMD ["serve"]
