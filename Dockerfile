# Three stages: the web app, the server with the web app inside it, and a small image to run it in.

FROM node:22-bookworm-slim AS web
WORKDIR /app/static
COPY static/package.json static/package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci --no-audit --no-fund
COPY docs/openapi.json ../docs/
COPY static ./
RUN npm run generate && npm run build

FROM rust:1-bookworm AS server
# What the binary says of itself: `docker build --build-arg GIT_COMMIT="$(git rev-parse HEAD)" --build-arg
# SOURCE_DATE_EPOCH="$(git log -1 --format=%ct)" .` The history itself stays out of the image's sources.
ARG GIT_COMMIT=""
ARG SOURCE_DATE_EPOCH=""
WORKDIR /app
COPY . .
COPY --from=web /app/static/dist static/dist
# C compilers refuse a date that is empty. The caches outlive the layer: a change of ours compiles our crate, not the four hundred below it.
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/app/target \
    if [ -z "$SOURCE_DATE_EPOCH" ]; then unset SOURCE_DATE_EPOCH; fi \
 && LLM_COUNCIL_BUILT_FOR=production cargo build --release --locked \
 && cp target/release/llm-council /usr/local/bin/

FROM debian:bookworm-slim
# The slim image has no CA bundle, and every provider is reached over HTTPS.
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --user-group --home-dir /var/lib/llm-council --create-home llm-council
COPY --from=server /usr/local/bin/llm-council /usr/local/bin/
USER llm-council
WORKDIR /var/lib/llm-council
# Milliseconds after which freed memory goes back to the system, instead of a second: it costs no time that can be measured, and
# the peak of a run with very long answers is 89 MiB instead of 125 (docs/performance.md).
ENV MIMALLOC_PURGE_DELAY=10
ENV LLM_COUNCIL__SERVER__BIND=0.0.0.0 \
    LLM_COUNCIL__DATA_DIR=/var/lib/llm-council \
    LLM_COUNCIL__LOG__FORMAT=json
EXPOSE 8001
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s --retries=3 CMD ["llm-council", "healthcheck"]
ENTRYPOINT ["llm-council"]
CMD ["serve"]
