import { type Bytes, countStanzas } from "./age-header.ts";
import { readersMax } from "./envelope-content.ts";
import { catchRefusal, check, type RefusalError } from "./refusal.ts";

export const admissionBytesMax = 128 * 1024;

/**
 * How many owners and managers a file is for that is an admission by its outer form: its size, and the form of every stanza. A server sees no
 * more of it.
 */
export function checkAdmissionForm(file: Bytes): Promise<number | RefusalError<"malformed">> {
  return catchRefusal<number, "malformed">(countAdmitting(file));
}

export async function countAdmitting(file: Bytes): Promise<number> {
  check(file.length <= admissionBytesMax, "malformed");
  return countStanzas(file, readersMax);
}
