/** The thread of `createStripThread`: strips one submission's fields after the other. */
import { parentPort } from "node:worker_threads";
import { stripPii } from "@sealpost/pii";
import type { StripThreadAnswer, StripThreadQuestion } from "./strip-question.ts";

parentPort?.on("message", (question: StripThreadQuestion) => parentPort?.postMessage(strip(question)));

function strip({ fields, options }: StripThreadQuestion): StripThreadAnswer {
  try {
    return { fields: JSON.stringify(stripPii(JSON.parse(fields), {}, options).fields) };
  } catch (error) {
    // Not what was thrown itself: its text may hold a piece of the submission.
    return { failed: error instanceof Error ? error.name : typeof error };
  }
}
