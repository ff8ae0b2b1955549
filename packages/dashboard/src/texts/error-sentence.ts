import type { Parts } from "@sealpost/texts";

type Sentences = Parts["errors"]["errors"];

let shown: Sentences | undefined;
let said: Sentences | undefined;

/** The sentences to show, and those of the API, which are English by contract. */
export function setErrorSentences(ofReader: Sentences, ofApi: Sentences): void {
  shown = ofReader;
  said = ofApi;
}

/**
 * The sentence for an error's code, in the reader's language, with what the API's own sentence has in its gaps. Nothing if this app does
 * not know the code or its words, which a newer service may have.
 */
export function findErrorSentence(code: string | undefined, sentence: string): string | undefined {
  if (shown === undefined || said === undefined || code === undefined || !Object.hasOwn(said, code)) return undefined;
  const found = findBest(shown, said, [code], sentence);
  const reason = findEnglishReason(code, sentence);
  return reason === undefined ? found : found?.replace(` ${reason}.`, "").replace(` ${reason}`, "");
}

/** Codes in whose gap the API says a reason in English, as nothing but a program's own mistake brings up. */
const withReason: readonly string[] = ["key_log_entry_refused", "member_list_entry_refused", "admission_refused"];

/** The reason in an answer with one of these codes. */
export function findEnglishReason(code: string | undefined, sentence: string): string | undefined {
  if (said === undefined || code === undefined || !withReason.includes(code)) return undefined;
  const values = waysOf(said, code).map((way) => findValues(way, sentence)?.[0]);
  return values.find((value) => value !== undefined);
}

/** The same for a sentence whose code is not known: for a list the API names the code of its first error alone. */
export function findAnySentence(sentence: string): string | undefined {
  return shown && said && findBest(shown, said, Object.keys(said), sentence);
}

function findBest(
  ofReader: Sentences,
  ofApi: Sentences,
  codes: readonly string[],
  sentence: string,
): string | undefined {
  const matches = codes.flatMap((code) => findMatches(ofReader, ofApi, code, sentence));
  // "Must hold at least 7 bytes" is "Must hold {} bytes" too: the one with the least in its gaps is meant.
  const lengthOf = ({ values }: Match) => values.join("").length;
  const [best] = matches.sort((one, other) => lengthOf(one) - lengthOf(other));
  return best && fill(best.own, best.values);
}

interface Match {
  readonly own: string;
  readonly values: readonly string[];
}

function findMatches(ofReader: Sentences, ofApi: Sentences, code: string, sentence: string): readonly Match[] {
  const ownWays = waysOf(ofReader, code);
  return waysOf(ofApi, code).flatMap((way, index) => {
    const values = findValues(way, sentence);
    const own = ownWays[index] ?? ownWays[0];
    return values === undefined || own === undefined ? [] : [{ own, values }];
  });
}

/** Some codes have several sentences. */
function waysOf(sentences: Sentences, code: string): readonly string[] {
  const ways: string | readonly string[] = sentences[code as keyof Sentences]; // one of its own
  return typeof ways === "string" ? [ways] : ways;
}

const gap = "{}";

/** The contents of the gaps of `way`; nothing if the sentence is another one. */
function findValues(way: string, sentence: string): readonly string[] | undefined {
  const [start = "", ...parts] = way.split(gap);
  if (!sentence.startsWith(start)) return undefined;
  const values: string[] = [];
  let at = start.length;
  for (const [index, part] of parts.entries()) {
    const next = index === parts.length - 1 ? sentence.length - part.length : sentence.indexOf(part, at);
    if (next < at || !sentence.startsWith(part, next)) return undefined;
    values.push(sentence.slice(at, next));
    at = next + part.length;
  }
  return at === sentence.length ? values : undefined;
}

function fill(way: string, values: readonly string[]): string {
  let next = 0;
  return way.replace(/\{(\d*)\}/g, (_, number: string) => values[number === "" ? next++ : Number(number) - 1] ?? "");
}
