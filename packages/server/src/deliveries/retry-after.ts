import type { Instant } from "./delivery.ts";

/**
 * The wait that a `Retry-After` header asks for (RFC 9110 section 10.2.3: seconds, or an HTTP date in its one preferred
 * form), in milliseconds from `now`, never negative. `undefined` for anything else.
 */
export function parseRetryAfter(value: string, now: Instant): number | undefined {
  const text = value.trim();
  if (/^[0-9]{1,10}$/.test(text)) return Number(text) * 1000;
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$/.test(text))
    return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
