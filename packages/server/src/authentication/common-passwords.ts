import type { ZxcvbnFactory } from "@zxcvbn-ts/core";

/** On a scale of 0 to 4: more than a million guesses if likely ones are tried first. Sign-ins are limited to far fewer. */
const scoreMin = 2;
/**
 * The estimate takes longer the longer the text is, and tries every way in which signs can stand for letters: up to half a
 * second of the thread that serves everybody for a text that is made for it. What begins well needs no second look, and
 * nobody guesses the sixth spelling first.
 */
const estimatedLength = 40;
const spellingsMax = 5;

/** The lists are loaded when the first password is chosen, and only once: they take as long as a start of the service. */
let estimator: Promise<ZxcvbnFactory> | undefined;

async function loadEstimator(): Promise<ZxcvbnFactory> {
  const [core, lists] = await Promise.all([import("@zxcvbn-ts/core"), import("@zxcvbn-ts/language-common")]);
  return new core.ZxcvbnFactory({
    dictionary: lists.dictionary,
    graphs: lists.adjacencyGraphs,
    l33tMaxSubstitutions: spellingsMax,
  });
}

/**
 * What is wrong with a password that is long enough but among the first that are tried: common ones, rows of keys, the
 * owner's address or name, our own name (NIST SP 800-63B, 3.1.1.2). For passwords that somebody chooses, never for signing in.
 */
export async function findCommonPasswordError(password: unknown, own: readonly unknown[]): Promise<string | undefined> {
  if (typeof password !== "string") return undefined;
  estimator ??= loadEstimator().catch((error: unknown) => {
    // The next password is another try.
    estimator = undefined;
    throw error;
  });
  const words = own
    .filter((word) => typeof word === "string")
    .flatMap((word) => [word, word.split("@", 1)[0] ?? "", ...word.split(/[^\p{L}\p{N}]+/u)]);
  const { score } = (await estimator).check(password.slice(0, estimatedLength), [
    "sealpost",
    ...words.filter((word) => word.length > 2).slice(0, 20),
  ]);
  return score >= scoreMin
    ? undefined
    : "This password is easy to guess: take four words that do not belong together, or let a password manager make one";
}
