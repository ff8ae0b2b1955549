import type { AskPasskey, CopySecretGiven, CopyWay } from "@sealpost/vault";
import { sendAttempt, type Tried } from "../api/attempt.ts";
import { askPersonalKey, openHalves } from "../personal-key/personal-key.ts";
import { type KeyCopy, type NewCopy, personalKeyApi } from "../personal-key/personal-key-api.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { CopyChanged, nameOf } from "./new-key.ts";
import type { KeptPassphrase } from "./passphrase-steps.tsx";

/** A way to add: what it is sealed for, and the secret that opens it. */
export interface WayToAdd extends Pick<NewCopy, "way" | "name"> {
  readonly to: CopyWay;
  readonly secret: CopySecretGiven;
  readonly askPasskey?: AskPasskey;
}

/** A sealed copy that may have arrived: sent again unchanged, it is not added twice. */
export type TriedCopy = Tried<{ readonly copy: NewCopy; readonly signingKey: string }>;

/**
 * Adds a way to unlock the open key: seals a copy, sends it, reads it back and opens it once. Throws `CopyChanged` where it does not open.
 * `tried` belongs to this way alone, for as long as somebody tries it.
 */
export async function addCopy({ way, name, to, secret, askPasskey }: WayToAdd, tried: TriedCopy): Promise<KeyCopy> {
  const copy = await sendAttempt(
    tried,
    async () => {
      const { signingKey } = openHalves();
      return { copy: { way, name, file: await askPersonalKey("sealCopy", to, askPasskey) }, signingKey };
    },
    (attempt) => withFreshSession(() => personalKeyApi.add(attempt.copy, attempt.signingKey)),
  );
  const file = tried.attempt?.copy.file ?? new Uint8Array();
  const stored = await personalKeyApi.loadFile(copy.id);
  const isSame = stored.length === file.length && stored.every((byte, index) => byte === file[index]);
  if (!isSame) throw new CopyChanged();
  await askPersonalKey("checkCopy", { file: stored, secret }, askPasskey);
  return copy;
}

/** Adds six words, or a passphrase of one's own, as a way to unlock. */
export function addPassphrase(kept: KeptPassphrase, tried: TriedCopy): Promise<KeyCopy> {
  const { passphrase } = kept;
  return addCopy({ way: "passphrase", name: nameOf(kept), to: { passphrase }, secret: { passphrase } }, tried);
}
