import type { FastifyBaseLogger, FastifyPluginAsync } from "fastify";

/** One thing that the service can do, opened with all that it needs: its routes, and its work in the background. */
export interface Capability {
  /** In the order in which the API document names their operations. */
  readonly routes: readonly FastifyPluginAsync[];
  /** Its work in the background: the last capability of the list starts first, all of them before the service listens. */
  readonly worker?: {
    readonly start: (log: FastifyBaseLogger) => unknown;
    readonly stop: () => Promise<unknown>;
  };
}
