# The service in an image of its own: no compiler, no npm, no tests, no user root, nothing that is written outside of /data.
# docker build -t sealpost .        podman build --format docker -t sealpost .

# By digest, so that every build has the same one; .github/renovate.json keeps it new.
# Another registry's copy: --build-arg NODE_IMAGE=registry.example.com/node:26-slim
ARG NODE_IMAGE=docker.io/library/node:26.10.0-slim@sha256:930557a230abacbc3f4fd9b8648abf8f4bee1e17cb72195dcdfb2f709bc85b33

# The service and what browsers load, which take the tools of the repository to build.
FROM ${NODE_IMAGE} AS build
WORKDIR /sealpost
COPY . .
# Not `npm run`: it would take the `node` that the repository brings along, and not the image's.
RUN npm ci --ignore-scripts --no-audit --no-fund
RUN node scripts/build.ts --quiet

# The service with its libraries, embed, dashboard and documents: one folder, without anything that npm installs.
FROM ${NODE_IMAGE} AS service
WORKDIR /sealpost
COPY LICENSE ./
COPY --from=build /sealpost/packages/server/package.json package.json
COPY --from=build /sealpost/packages/server/dist dist
# A checkout that only its owner may read makes an image that the user `node` may not.
RUN chmod -R u=rwX,go=rX .

FROM ${NODE_IMAGE}
ENV NODE_ENV=production SEALPOST_HOST=0.0.0.0 SEALPOST_PORT=8080 SEALPOST_DATA=/data
WORKDIR /sealpost
# `docker exec … sealpost-server backup` needs no path, and nothing that runs can install anything.
RUN printf '#!/bin/sh\nexec node --disable-sigusr1 /sealpost/dist/service/sealpost-server.js "$@"\n' > /usr/local/bin/sealpost-server \
  && chmod 755 /usr/local/bin/sealpost-server \
  && rm -rf /usr/local/lib/node_modules /usr/local/include/node /usr/local/bin/npm /usr/local/bin/npx /opt/yarn* /tmp/* \
  && mkdir -m 0700 /data && chown node:node /data
COPY --from=service /sealpost .
USER node
VOLUME /data
EXPOSE 8080
# Longer than the 35 s that webhook attempts in flight get: docker stop --time 45 (compose.yaml says so).
STOPSIGNAL SIGTERM
# The first look is one interval after the start, and the proxy of compose.yaml waits for it.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.SEALPOST_PORT}/health/ready`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--disable-sigusr1", "dist/service/sealpost-server.js"]
CMD ["serve"]
