import { setImmediate as nextTurn } from "node:timers/promises";
import { stripPii, stripPiiInSteps } from "@sealpost/pii";
import type { Fields } from "@sealpost/wire";
import type { Form } from "../forms/form.ts";
import { type AwaitedAnswer, untilGone } from "../http/gone.ts";
import { Problem } from "../problems/problem.ts";
import { toNestedNetworks } from "../rate-limits/client-address.ts";
import { createFairQueue } from "../rate-limits/fair-queue.ts";
import type { StripOptions } from "./strip-question.ts";
import type { StripThread } from "./strip-thread.ts";

/**
 * The fields of a plain submission without common patterns of personal data, for forms with `piiStrip`. The server knows
 * only the names of fields; the embed, which sees the page, strips before it sends. Throws rather than let anything through.
 * Longer ones wait in a line (`FairLine`), so that a stranger does not keep the form's other visitors out, nor those of other forms. Who has left
 * waits no longer, and nothing of theirs is done any more.
 */
export type StripFields = (form: Form, fields: Fields, visitor: Visitor) => Promise<Fields>;

export interface Visitor {
  readonly ip: string;
  readonly answer?: AwaitedAnswer | undefined;
}

/** The worst text of this length takes this thread some 3 ms. */
const textAtOnceMax = 1_024;

/** The worst text of this length takes this thread some 30 ms, in pieces. */
const textHereMax = 8_192;

/** Steps of the worst text that take some 2 ms. */
const stepsOfTurn = 32;

/** Short submissions are stripped at once, longer ones in pieces with turns for everybody else, long ones in a thread of their own. */
export function createStripFields(thread: StripThread): StripFields {
  const queue = createFairQueue(queueOptions);

  return async (form, fields, { ip, answer }) => {
    const { piiTypes, country } = form.settings;
    const options = { ...(piiTypes !== null && { types: piiTypes }), ...(country !== null && { country }) };
    if (!isLongerThan(fields, textAtOnceMax)) return stripPii(fields, {}, options).fields;
    const size = measureFields(fields, fieldsMax);
    const { accountId, id: part } = form;
    return untilGone(answer, (gone) => {
      const about = { part, networks: toNestedNetworks(ip), size, gone };
      if (size > textHereMax) return thread.strip({ accountId, ...about }, fields, options);
      // One at a time: the pieces of many at once would be as long as the whole of one.
      return queue.run({ accountId, personId: undefined }, () => stripInTurns(fields, options, gone), about);
    });
  };
}

/** More than a submission can have. */
const fieldsMax = 2 ** 24;

/** Each waiting one has 8,192 characters at most. */
const queueOptions = {
  runningMax: 1,
  waitingMax: 256,
  waitingMaxOfOne: 8,
  message: "Too many long texts are being checked for personal data at this moment. Please try again.",
  retrySeconds: 10,
} as const;

async function stripInTurns(fields: Fields, options: StripOptions, gone: AbortSignal): Promise<Fields> {
  const steps = stripPiiInSteps(fields, {}, options);
  for (;;) {
    for (let count = 0; count < stepsOfTurn; count++) {
      const step = steps.next();
      if (step.done) return step.value.fields;
    }
    await nextTurn();
    if (gone.aborted) throw new Problem("unavailable", queueOptions.message, { retryAfter: queueOptions.retrySeconds });
  }
}

/** Characters of names and values together; looks no further than `max`. */
function measureFields(fields: Fields, max: number): number {
  let length = 0;
  const open: unknown[] = [fields];
  for (let value = open.pop(); value !== undefined && length <= max; value = open.pop()) {
    length += typeof value === "string" ? value.length : 8;
    if (typeof value !== "object" || value === null) continue;
    for (const [name, member] of Object.entries(value)) {
      length += name.length;
      open.push(member);
    }
  }
  return length;
}

/** Whether names and values together have more than so many characters. */
export function isLongerThan(fields: Fields, max: number): boolean {
  return measureFields(fields, max) > max;
}
