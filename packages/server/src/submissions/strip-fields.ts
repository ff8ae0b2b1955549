import { stripPii } from "@sealpost/pii";
import type { Fields } from "@sealpost/wire";
import type { Form } from "../forms/form.ts";
import type { StripThread } from "./strip-thread.ts";

/**
 * The fields of a plain submission without common patterns of personal data, for forms with `piiStrip`. The server knows
 * only the names of fields; the embed, which sees the page, strips before it sends. Throws rather than let anything through.
 */
export type StripFields = (form: Form, fields: Fields) => Promise<Fields>;

/** The worst text of this length takes about as long as one submission may keep this thread: 50 ms. */
const textHereMax = 8_192;

/** Short submissions are stripped at once, long ones in a thread of their own. */
export function createStripFields(thread: StripThread): StripFields {
  return async (form, fields) => {
    const { piiTypes, country } = form.settings;
    const options = { ...(piiTypes !== null && { types: piiTypes }), ...(country !== null && { country }) };
    if (isLongerThan(fields, textHereMax)) return thread.strip(form, fields, options);
    return stripPii(fields, {}, options).fields;
  };
}

/** Whether names and values together have more than so many characters; looks no further than that. */
export function isLongerThan(fields: Fields, max: number): boolean {
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
  return length > max;
}
