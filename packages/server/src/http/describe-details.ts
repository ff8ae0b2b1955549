import { codeOf } from "../problems/code-of.ts";

/** `details` and `detailCodes` of an answer: each invalid field's sentence, and the code of what is wrong with it. */
export interface DescribedDetails {
  readonly details: Readonly<Record<string, string>>;
  readonly detailCodes: Readonly<Record<string, string>>;
}

/** Names fields by the paths of the request: `settings.piiTypes.1`. */
export function describeByPath(errors: Readonly<Record<string, string>>): DescribedDetails {
  return describe(
    Object.entries(errors).map(([path, sentence]) => ({ field: path, sentence, code: findCode(sentence) })),
  );
}

/**
 * Names fields as the contract does, `webhookUrl` and not `settings.webhookUrl`, each once; for a list all wrong entries, by
 * their numbers: `Entries 2, 3: Must be …; Entry 5: …`. The code is the first one's. Where the contract has a sentence for a field, that
 * one is answered for everything that is wrong with it, and the code alone says what it is (contract, section 4.3).
 */
export function describeByField(errors: Readonly<Record<string, string>>): DescribedDetails {
  const fields = new Map<string, { readonly sentences: Map<string, number[]>; readonly code: string }>();
  for (const [path, sentence] of Object.entries(errors)) {
    const [, field = path, index] = /^(?:settings\.)?([^.]+)(?:\.([0-9]+))?$/.exec(path) ?? [];
    const { sentences } = fields.get(field) ?? { sentences: new Map<string, number[]>() };
    if (!fields.has(field)) fields.set(field, { sentences, code: findCode(sentence) });
    const entries = sentences.get(sentence) ?? [];
    sentences.set(sentence, entries);
    if (index !== undefined) entries.push(Number(index) + 1);
  }
  const described = Array.from(fields, ([field, { sentences, code }]) => {
    const shown = Array.from(sentences, ([sentence, entries]) => nameEntries(entries) + sentence).join("; ");
    return { field, sentence: contractSentences.get(field) ?? shown, code };
  });
  return describe(described);
}

function nameEntries(entries: readonly number[]): string {
  if (entries.length === 0) return "";
  return `${entries.length === 1 ? "Entry" : "Entries"} ${entries.join(", ")}: `;
}

/** Interface of the contract, 7.1. */
const contractSentences: ReadonlyMap<string, string> = new Map([["webhookUrl", "Must be a valid HTTPS URL"]]);

interface Described {
  readonly field: string;
  readonly sentence: string;
  readonly code: string;
}

function findCode(sentence: string): string {
  return codeOf(sentence) ?? "field_invalid";
}

/** Not by assignment: a caller may name a member `__proto__`. */
function describe(described: readonly Described[]): DescribedDetails {
  return {
    details: Object.fromEntries(described.map(({ field, sentence }) => [field, sentence])),
    detailCodes: Object.fromEntries(described.map(({ field, code }) => [field, code])),
  };
}
