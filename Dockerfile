# The service in an image of its own: no compiler, no npm, no tests, no user root, nothing that is written outside of /data.
# docker build -t sealpost .        podman build --format docker -t sealpost .

# Another registry's copy: --build-arg NODE_IMAGE=registry.example.com/node:26-slim
ARG NODE_IMAGE=docker.io/library/node:26-slim

# What browsers load, which takes the tools of the repository to build.
FROM ${NODE_IMAGE} AS build
WORKDIR /sealpost
COPY . .
# Not `npm run`: it would take the `node` that the repository brings along, and not the image's.
RUN npm ci --ignore-scripts --no-audit --no-fund
RUN node scripts/build.ts --quiet

# What the service loads, without what npm leaves in its own folders.
FROM ${NODE_IMAGE} AS service
WORKDIR /sealpost
COPY package.json package-lock.json LICENSE ./
COPY packages/wire/package.json packages/wire/package.json
COPY packages/pii/package.json packages/pii/package.json
COPY packages/server/package.json packages/server/package.json
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund --workspace @sealpost/server
# Half of it is for compilers, debuggers and the packages' own authors. Licences stay.
RUN find . -path '*/node_modules/*' -type f \( -name '*.map' -o -name '*.ts' -o -name '*.cts' -o -name '*.mts' \) -delete \
  && find . -path '*/node_modules/*' -type d \( -name test -o -name tests -o -name __tests__ \) -prune -exec rm -r {} +
COPY packages/wire/src packages/wire/src
COPY packages/pii/src packages/pii/src
COPY packages/server/src packages/server/src
COPY --from=build /sealpost/packages/server/dist packages/server/dist
COPY --from=build /sealpost/packages/embed/dist packages/embed/dist
COPY --from=build /sealpost/packages/dashboard/dist packages/dashboard/dist
# A checkout that only its owner may read makes an image that the user `node` may not.
RUN chmod -R u=rwX,go=rX .

FROM ${NODE_IMAGE}
ENV NODE_ENV=production SEALPOST_HOST=0.0.0.0 SEALPOST_PORT=8080 SEALPOST_DATA=/data
WORKDIR /sealpost
# `docker exec … sealpost-server backup` needs no path, and nothing that runs can install anything.
RUN printf '#!/bin/sh\nexec node --conditions=@sealpost/source /sealpost/packages/server/src/main.ts "$@"\n' > /usr/local/bin/sealpost-server \
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
ENTRYPOINT ["node", "--conditions=@sealpost/source", "packages/server/src/main.ts"]
CMD ["serve"]
