import type { KeyLogHead, VerifiedKeyLog } from "./key-log.ts";
import { keyLogLineBytesMax, keyLogNumberMax } from "./key-log-entry.ts";

/** As many entries of a log as the service answers at a time: who gets so many asks again, from the last one on. */
export const keyLogPageEntries = 128;

/** The bytes of these entries, each with its signature and two line feeds. */
export const keyLogPageBytesMax = keyLogPageEntries * (keyLogLineBytesMax + 105);

/** How a page pins a head: `NUMBER-HASH` (SPECIFICATION.md, section 20). */
export function formatKeyLogHead({ number, hash }: KeyLogHead): string {
  return `${number}-${hash}`;
}

/** The head that a pin names, or `undefined` for anything that is no pin. */
export function parseKeyLogHead(pin: unknown): KeyLogHead | undefined {
  const [, number, hash] =
    (typeof pin === "string" && /^([1-9]\d{0,9})-([\w-]{42}[AEIMQUYcgkosw048])$/.exec(pin)) || [];
  return hash !== undefined && Number(number) <= keyLogNumberMax ? { number: Number(number), hash } : undefined;
}

/** Whether a log that was checked from the first entry on, or from one that is not after `head`, has `head` in it. */
export function hasKeyLogHead({ head, entries }: VerifiedKeyLog, { number, hash }: KeyLogHead): boolean {
  const next = entries.find((entry) => entry.number === number + 1);
  return number === head.number ? hash === head.hash : hash === next?.previous;
}
