import * as first from "../src/en/dashboard/first.ts";
import * as later from "../src/en/dashboard/later.ts";

const { formats: _, ...firstTexts } = first;

/** The English texts of the dashboard, for tests that look for them on a page. */
export const text = { ...firstTexts, ...later };
