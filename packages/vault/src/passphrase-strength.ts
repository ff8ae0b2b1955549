import { normalizePassphrase } from "@sealpost/envelope";
import type { ZxcvbnFactory } from "@zxcvbn-ts/core";

/** The least strength of a passphrase of one's own, by estimate: 2^60 tries of a second each are out of anybody's reach. */
export const strengthBitsMin = 60;

/** A word that is in no list counts as one that was drawn from a list of 7,776: in another language it is no harder to guess. */
const wordBitsMax = Math.log2(7_776);
/** Letters of an alphabet that writes words apart; longer ones are several words, or drawn at random. */
const word = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{M}'’]{1,12}$/u;
/** Between words, also those ofThisKind. */
const gaps = /[\s\-_.,;:]+|(?<=\p{Ll})(?=\p{Lu})/u;
/** The rest of a longer one is not looked at. */
const estimatedLength = 200;

/** Estimates in bits how hard a passphrase is to guess for somebody who knows the `own` words of its person. */
export type EstimateBits = (passphrase: string, own: readonly string[]) => number;

/** The estimator with its lists, which are most of a megabyte: nobody else needs them. */
export async function loadEstimator(): Promise<EstimateBits> {
  const [{ ZxcvbnFactory }, common, english] = await Promise.all([
    import("@zxcvbn-ts/core"),
    import("@zxcvbn-ts/language-common"),
    import("@zxcvbn-ts/language-en"),
  ]);
  const dictionary = { ...common.dictionary, ...english.dictionary };
  return createEstimator(new ZxcvbnFactory({ dictionary, graphs: common.adjacencyGraphs }));
}

/**
 * zxcvbn multiplies a guess for the number of parts into each of them, which makes any nine words strong. So the least counts of its
 * own estimate, of the parts that it finds, and of the words, each estimated alone and counted once.
 */
export function createEstimator(zxcvbn: Pick<ZxcvbnFactory, "check">): EstimateBits {
  return (passphrase, own) => {
    const text = normalizePassphrase(passphrase).slice(0, estimatedLength);
    if (text === "") return 0;
    const ownWords = own.flatMap((entry) => [entry, ...entry.split(/[^\p{L}\p{N}]+/u)]);
    const known = ["sealpost", ...ownWords.filter(({ length }) => length > 2)];
    const whole = zxcvbn.check(text, known);
    const parts = whole.sequence.map(({ guesses }) => Math.log2(guesses));
    const words = [...new Set(text.split(gaps).map((one) => one.toLowerCase()))].filter((one) => one !== "");
    const bitsOf = (one: string) => Math.log2(zxcvbn.check(one, known).guesses);
    const wordBits = words.map((one) => (word.test(one) ? Math.min(wordBitsMax, bitsOf(one)) : bitsOf(one)));
    return Math.min(Math.log2(whole.guesses), sum(parts), sum(wordBits));
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
