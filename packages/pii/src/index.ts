export type { Hint } from "./fields.ts";
export { findPii } from "./find.ts";
export type { Steps } from "./steps.ts";
export { type Fields, type FieldValue, type Hints, type Stripped, stripPii, stripPiiInSteps } from "./strip.ts";
export { type PiiType, tokens } from "./types.ts";
