/**
 * The service's clock. The computer's may be wrong by years: what is older than a retention of days, when a key version or an API key
 * ends and how long ago something came in are the service's times. Nothing that is signed or verified goes by it.
 */

/** A difference of so much is that of the network and of the header's whole seconds. */
const toleratedMilliseconds = 5_000;

let aheadMilliseconds = 0;

/** Milliseconds since the Unix epoch, as the service counts them since its last answer; until the first one the computer's own. */
export const serviceNow = (): number => Date.now() + aheadMilliseconds;

/** Learns it from the `Date` of an answer (RFC 9110, section 6.6.1) that has just come. */
export function learnServiceTime(headers: Headers): void {
  const answered = Date.parse(headers.get("date") ?? "");
  if (Number.isNaN(answered)) return;
  const ahead = answered - Date.now();
  aheadMilliseconds = Math.abs(ahead) <= toleratedMilliseconds ? 0 : ahead;
}
