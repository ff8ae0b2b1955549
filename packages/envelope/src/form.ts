export { type CopyKind, copyBytesMax, findCopyKind } from "./copy-form.ts";
export { isEd25519Point } from "./curve-keys.ts";
export { kindOf } from "./recipient.ts";
