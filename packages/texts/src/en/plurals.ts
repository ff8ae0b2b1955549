import { createPlurals } from "../plurals.ts";

export const { plural, counted } = createPlurals("en", ["one", "other"]);
