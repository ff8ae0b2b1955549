export type { Hint } from "./fields.ts";
export { findPii } from "./find.ts";
export { type Fields, type FieldValue, type Hints, stripPii } from "./strip.ts";
export { type PiiType, tokens } from "./types.ts";
