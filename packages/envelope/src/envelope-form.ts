import { type Bytes, countStanzas } from "./age-header.ts";
import { envelopeBytesMax, readersMax } from "./envelope-content.ts";
import { catchRefusal, check, type RefusalError } from "./refusal.ts";

/**
 * The number of readers of a file that is an envelope by its outer form: its size, and the form of every stanza. Those who can't open it, such as a
 * server, see no more. Nothing is parsed of a file that is too large.
 */
export function checkEnvelopeForm(file: Bytes): Promise<number | RefusalError<"malformed">> {
  return catchRefusal<number, "malformed">(countReaders(file));
}

async function countReaders(file: Bytes): Promise<number> {
  check(file.length <= envelopeBytesMax, "malformed");
  return countStanzas(file, readersMax);
}
