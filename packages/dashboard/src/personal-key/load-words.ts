import { parseWords } from "@sealpost/vault";

/** The list that words are drawn from (eff-large-wordlist-notice.txt says whose it is), loaded when they are: nobody else needs it. */
export async function loadWords(): Promise<readonly string[]> {
  return parseWords((await import("./eff-large-wordlist.txt?raw")).default);
}
