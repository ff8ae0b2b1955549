import { generateSheet, type PublicHalves, type RecoverySheet } from "@sealpost/envelope";
import { type CopySecretGiven, generatePassphrase, type KeyWorker, makeKey, readAnswer } from "@sealpost/vault";
import { orArrived } from "../api/attempt.ts";
import { signHeadsOfAll } from "../personal-key/keep-heads.ts";
import { loadWords } from "../personal-key/load-words.ts";
import type { OperationName, Operations } from "../personal-key/operations.ts";
import { askPersonalKey } from "../personal-key/personal-key.ts";
import { type NewCopy, personalKeyApi, type Way } from "../personal-key/personal-key-api.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { formatDateTime } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import type { KeptPassphrase } from "./passphrase-steps.tsx";

const { personalKey } = text;

const texts = personalKey.ways;

/** A key that nobody has a copy of yet, with drawn secrets for its first two copies. The key itself is in the worker alone. */
export interface NewPersonalKey {
  readonly worker: KeyWorker;
  readonly halves: PublicHalves;
  /** Six; their person may choose a passphrase instead. */
  readonly words: string;
  readonly sheet: RecoverySheet;
  readonly sheetName: string;
}

export async function prepareKey(worker: KeyWorker): Promise<NewPersonalKey> {
  const [halves, words, sheet] = await Promise.all([makeKey(worker), loadWords(), generateSheet("personal")]);
  const sheetName = texts.sheetName(formatDateTime(Date.now()));
  return { worker, halves, words: generatePassphrase(words), sheet, sheetName };
}

/** The server gave back something else than it was sent. */
export class CopyChanged extends Error {}

/** The name of a copy that words or a passphrase open. */
export function nameOf({ isOwn }: KeptPassphrase): string {
  return (isOwn ? texts.passphraseName : texts.wordsName)(formatDateTime(Date.now()));
}

/** Seals the two first copies: some seconds of the worker's time. */
export async function sealFirstCopies(
  { worker, sheet, sheetName }: NewPersonalKey,
  kept: KeptPassphrase,
): Promise<readonly NewCopy[]> {
  const { recipient } = sheet;
  const { passphrase } = kept;
  const name = nameOf(kept);
  return [
    { way: "passphrase", name, file: await operate(worker, "sealCopy", { passphrase }) },
    { way: "sheet", name: sheetName, file: await operate(worker, "sealCopy", { recipient }) },
  ];
}

/** The key in the place of which a new one comes. */
export interface KeyToReplace {
  readonly signingKey: string;
  /** Whether it is open in this browser. */
  readonly isOpen: boolean;
}

/**
 * Of the key that is replaced, for the request. Where it is open, it is sealed for the new one, which signs and opens with it. By the signed heads a device
 * that has only seen the new one trusts lists in which it has signed nothing yet.
 */
export async function sealFormer(
  { halves, worker }: NewPersonalKey,
  { signingKey, isOpen }: KeyToReplace,
  personId: string,
) {
  const { recipient } = halves;
  return {
    replaces: signingKey,
    formerCopy: isOpen ? await askPersonalKey("sealCopy", { recipient }) : undefined,
    signedHeads: await signHeadsOfAll(personId, (head) => operate(worker, "signHead", head)),
  };
}

export async function sendKey(
  { halves }: NewPersonalKey,
  copies: readonly NewCopy[],
  former?: Awaited<ReturnType<typeof sealFormer>>,
): Promise<void> {
  // Asked twice by a proxy, the server says the second time that the key has been changed meanwhile: to this one.
  await orArrived(
    () =>
      withFreshSession(() =>
        former === undefined ? personalKeyApi.create(halves, copies) : personalKeyApi.replace(halves, copies, former),
      ),
    async () => (await personalKeyApi.find()).personalKey?.signingKey === halves.signingKey,
  );
}

/** Reads the copies back and opens each once. Throws `CopyChanged` unless each is there and opens this very key. */
export async function checkStoredCopies({ worker, halves, sheet }: NewPersonalKey, { passphrase }: KeptPassphrase) {
  const stored = await personalKeyApi.find();
  const { recipient, signingKey } = stored.personalKey ?? {};
  if (recipient !== halves.recipient || signingKey !== halves.signingKey) throw new CopyChanged();
  const secrets: readonly (readonly [Way, CopySecretGiven])[] = [
    ["sheet", { identity: sheet.identity }],
    ["passphrase", { passphrase }],
  ];
  for (const [way, secret] of secrets) {
    const copy = stored.copies.find((one) => one.way === way);
    if (copy === undefined) throw new CopyChanged();
    const file = await personalKeyApi.loadFile(copy.id);
    await operate(worker, "checkCopy", { file, secret }).catch(() => {
      throw new CopyChanged();
    });
  }
  const { copies, formerKeys } = stored;
  return { halves, copies, formerKeys };
}

async function operate<Name extends OperationName>(
  worker: KeyWorker,
  name: Name,
  request: Operations[Name]["request"],
): Promise<Operations[Name]["answer"]> {
  // The value is the answer of this very operation.
  return readAnswer(await worker.ask({ act: "operate", name, request })) as Operations[Name]["answer"];
}
