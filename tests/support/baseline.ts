/**
 * The commit of version 0.2.0, from which `npm run test:upgrade` will start: no version before it is cared for. `undefined` until it is
 * released.
 */
export const baselineCommit: string | undefined = undefined;
