# The service in an image of its own: no compiler, no tests, no user root, nothing that is written outside of /data.
# docker build -t sealpost .

FROM node:26-slim AS build
WORKDIR /sealpost
COPY . .
# Not `npm run`: it would take the `node` that the repository brings along, and not the image's.
RUN npm ci --ignore-scripts --no-audit --no-fund
RUN node scripts/build.ts --quiet

FROM node:26-slim
ENV NODE_ENV=production SEALPOST_HOST=0.0.0.0 SEALPOST_PORT=8080 SEALPOST_DATA=/data
WORKDIR /sealpost
COPY package.json package-lock.json LICENSE ./
COPY packages/wire/package.json packages/wire/package.json
COPY packages/pii/package.json packages/pii/package.json
COPY packages/server/package.json packages/server/package.json
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund --workspace @sealpost/server
COPY packages/wire/src packages/wire/src
COPY packages/pii/src packages/pii/src
COPY packages/server/src packages/server/src
COPY --from=build /sealpost/packages/server/dist packages/server/dist
COPY --from=build /sealpost/packages/embed/dist packages/embed/dist
COPY --from=build /sealpost/packages/dashboard/dist packages/dashboard/dist
RUN mkdir -m 0700 /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080
# Longer than the 35 s that webhook attempts in flight get: docker stop --time 45 (compose.yaml says so).
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.SEALPOST_PORT}/health/ready`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--conditions=@sealpost/source", "packages/server/src/main.ts"]
CMD ["serve"]
