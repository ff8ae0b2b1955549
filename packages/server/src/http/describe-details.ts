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
 * Names fields as the contract does, `webhookUrl` and not `settings.webhookUrl`, each once; for a list its first wrong entry,
 * with its number. Where the contract has a sentence, that one is answered for everything that is wrong with the field, and the
 * code alone says what it is (contract, section 4.3).
 */
export function describeByField(errors: Readonly<Record<string, string>>): DescribedDetails {
  const fields = new Map<string, Described>();
  for (const [path, sentence] of Object.entries(errors)) {
    const [, field = path, index] = /^(?:settings\.)?([^.]+)(?:\.([0-9]+))?$/.exec(path) ?? [];
    const shown = index === undefined ? sentence : `Entry ${Number(index) + 1}: ${sentence}`;
    if (!fields.has(field))
      fields.set(field, { field, sentence: contractSentences.get(field) ?? shown, code: findCode(sentence) });
  }
  return describe([...fields.values()]);
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
