import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const built = process.env.SEALPOST_TEST_PROGRAM;

/**
 * What Node.js runs as `sealpost-server`: the bundle that `npm test` has built of these sources, because it starts in a third
 * of the time; the sources themselves where tests run again at each change, or without `npm test`.
 */
export const serverProgram: readonly string[] =
  built === undefined ? ["--conditions=@sealpost/source", join(import.meta.dirname, "../main.ts")] : [built];

/**
 * The thread that writes, of the same bundle; `undefined` for the sources' own. Each service starts one, and of the sources it
 * loads some 900 files.
 */
export const writerEntry =
  built === undefined ? undefined : pathToFileURL(join(dirname(built), "writer-thread-entry.js"));
