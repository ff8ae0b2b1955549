import type { AskPasskey, CopySecretGiven, CopyWay } from "@sealpost/vault";
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

/** Adds a way to unlock the open key: seals a copy, sends it, reads it back and opens it once. Throws `CopyChanged` where it does not open. */
export async function addCopy({ way, name, to, secret, askPasskey }: WayToAdd): Promise<KeyCopy> {
  const { signingKey } = openHalves();
  const file = await askPersonalKey("sealCopy", to, askPasskey);
  const copy = await withFreshSession(() => personalKeyApi.add({ way, name, file }, signingKey));
  const stored = await personalKeyApi.loadFile(copy.id);
  const isSame = stored.length === file.length && stored.every((byte, index) => byte === file[index]);
  if (!isSame) throw new CopyChanged();
  await askPersonalKey("checkCopy", { file: stored, secret }, askPasskey);
  return copy;
}

/** Adds six words, or a passphrase of one's own, as a way to unlock. */
export function addPassphrase(kept: KeptPassphrase): Promise<KeyCopy> {
  const { passphrase } = kept;
  return addCopy({ way: "passphrase", name: nameOf(kept), to: { passphrase }, secret: { passphrase } });
}
