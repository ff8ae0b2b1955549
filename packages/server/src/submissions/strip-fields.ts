import { stripPii } from "@sealpost/pii";
import type { Fields } from "@sealpost/wire";

/**
 * The fields of a plain submission without common patterns of personal data, for forms with `piiStrip`. The server knows
 * only the names of fields; the embed, which sees the page, strips before it sends. Throws rather than let anything through.
 */
export function stripFields(fields: Fields): Fields {
  return stripPii(fields).fields;
}
