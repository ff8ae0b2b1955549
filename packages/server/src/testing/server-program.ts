import { join } from "node:path";

/**
 * What Node.js runs as `sealpost-server`: the bundle that `npm test` has built of these sources, because it starts in a third
 * of the time; the sources themselves where tests run again at each change, or without `npm test`.
 */
export const serverProgram: readonly string[] =
  process.env.SEALPOST_TEST_PROGRAM === undefined
    ? ["--conditions=@sealpost/source", join(import.meta.dirname, "../main.ts")]
    : [process.env.SEALPOST_TEST_PROGRAM];
