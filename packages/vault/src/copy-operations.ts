import { checkCopy } from "./check-copy.ts";
import { adoptFormer } from "./open-key.ts";
import { sealCopy } from "./seal-copy.ts";
import { sealHeads } from "./seal-heads.ts";

/** The operations on the open key's own copies, for the worker that holds it. */
export const copyOperations = { sealCopy, checkCopy, adoptFormer, sealHeads };
