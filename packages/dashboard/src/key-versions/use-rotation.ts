import { findNextKey } from "@sealpost/envelope";
import { type Form, findNewestKey, type KeyClosing, type OpeningKey } from "@sealpost/sdk";
import type { LostKeys, ShownRotation } from "@sealpost/sdk/envelopes";
import { provesFingerprint } from "@sealpost/vault";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, type RefObject, useState } from "react";
import { client } from "../api/client.ts";
import { Explained } from "../api/describe-error.ts";
import { queries } from "../api/queries.ts";
import { keyLogKey } from "../key-log/key-log-query.ts";
import { addKeys, labelKey, useKeys } from "../keys/keyring.ts";
import { makeKey, type NewKey, publicKeysOf } from "../keys/new-key.ts";
import { reportProof } from "../keys/report-proofs.ts";
import { type NewKeyProgress, useNewKey } from "../keys/use-new-key.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { text } from "../texts/text.ts";
import { type End, toClosing } from "./end-versions.tsx";
import type { Confirmed } from "./require-version.ts";

/** Why there is no open envelope, or nothing that signs: the personal key is locked, it is still loading, or it was opened and could not be used. */
export type Missing = "locked" | "loading" | "unread";

/** More key pairs than these no service gives a form, and one that lies could name any version. */
const keyVersionsMax = 1000;

/** Rotates together with the form's envelope, which then has the new key as well. */
export interface EnvelopeRotation {
  /**
   * Gives why the envelope could not be read back: then the key has to be saved as a file at once. Rejects with a `ShownAgain`, and sends nothing, where another revision
   * or other readers than `shown` are the form's by now.
   */
  rotate(newKey: NewKey, closing: KeyClosing | undefined, shown: ShownRotation | LostKeys): Promise<ReactNode>;
  /**
   * Rejects with a `FarVersionError` where the server's newest version could be made up, and with a `LostKeysError` where keys would be left behind, unless that was
   * confirmed here. Gives who will read, and what is left behind.
   */
  requireConfirmed(confirmed: Confirmed): Promise<ShownRotation | LostKeys>;
  /** Who will read with the key of this version, by what is open now. */
  findShown(version: number): ShownRotation | undefined;
  /** Names of the list's members with these ids. */
  namesOf(ids: readonly string[]): readonly string[];
}

/** The readers or the revision changed after they were shown, so nothing was sent. */
export class ShownAgain extends Explained {}

export const isLoss = (shown: ShownRotation): shown is LostKeys => "missing" in shown;

export interface RotationProps {
  readonly form: Form;
  readonly currentVersion: number;
  /** The fingerprint of the hybrid key, where there is one: the key that a page names. */
  readonly currentFingerprint: string;
  /** Whether the current version has a hybrid key. */
  readonly isHybrid: boolean;
  /** Where the form has one: then nothing has to be saved. */
  readonly envelope?: EnvelopeRotation | Missing | undefined;
  /** Where the form has a key log: signs the new key's entry, for a form without an envelope. */
  readonly keyLog?: ((newKey: NewKey) => Promise<string | undefined>) | Missing | undefined;
  /** Why this browser rotates nothing for now. */
  readonly instead?: ReactNode;
}

/** A rotation from the new key to its use. `place` takes the focus once it is done: the pressed button is gone then. */
export function useRotation(props: RotationProps, place: RefObject<HTMLElement | null>) {
  const { form, currentVersion, currentFingerprint, isHybrid, envelope, keyLog, instead } = props;
  const texts = text.formKeys;
  const { progress, begin, markSaved, markProved, giveUp } = useNewKey();
  const queryClient = useQueryClient();
  const hasReceiver = form.settings.webhookUrl !== null;
  // The owner decides before a receiver first gets what is sealed to a hybrid key.
  const [choice, setWantsHybrid] = useState<boolean>();
  const wantsHybrid = choice ?? (isHybrid || !hasReceiver);
  const [end, setEnd] = useState<End>("never");
  const making = useMutation({
    mutationFn: async (confirmed: Confirmed) => {
      if (currentVersion >= keyVersionsMax) throw new Explained(texts.versionsUsedUp);
      let confirmedFor: ShownRotation | undefined;
      if (typeof envelope === "object") confirmedFor = await envelope.requireConfirmed(confirmed);
      // Nothing here says which versions a form with key files has.
      else findNextKey([{ version: currentVersion }], [], { confirmed: confirmed.version });
      const named = { formId: form.id, formName: form.name, keyVersion: currentVersion + 1 };
      return { newKey: await makeKey(named, wantsHybrid), confirmedFor };
    },
    onSuccess: ({ newKey, confirmedFor }) => {
      begin(newKey);
      setShown(confirmedFor);
    },
  });
  // The list on the page stays what is sent, whatever is loaded meanwhile: it changes only once a press has said so.
  const [shown, setShown] = useState<ShownRotation>();
  const current = progress && typeof envelope === "object" ? envelope.findShown(progress.newKey.keyVersion) : undefined;
  if (shown === undefined && current !== undefined) setShown(current);
  const rotating = useMutation({
    mutationFn: ({ newKey }: NewKeyProgress) =>
      rotate(props, newKey, end === "never" ? undefined : toClosing(end, currentVersion + 1), shown),
    onError: (error) => {
      // An answer about keys that may be lost counts for what was shown alone: the key is made again.
      if (error instanceof ShownAgain && !(shown && isLoss(shown))) setShown(undefined);
      return queryClient.invalidateQueries(queries.keys(form.id));
    },
    onSuccess: async ({ keyVersion, problem }, { provenKey }) => {
      if (provenKey !== undefined) addKeys(form.id, [labelKey(provenKey, form.id, keyVersion)]);
      if (problem && provenKey === undefined) return;
      // It was proved before it was sent.
      await reportProof(form.id, keyVersion);
      await settle();
    },
  });
  /** The page shows the new version before the step of making one comes back: until then it would offer to make the same once more. */
  async function settle(): Promise<void> {
    await Promise.all(
      [keyLogKey(form.id), queries.form(form.id).queryKey, queries.keys(form.id).queryKey].map((queryKey) =>
        queryClient.invalidateQueries({ queryKey }),
      ),
    );
    discard();
    place.current?.focus();
  }
  function discard(): void {
    giveUp();
    setShown(undefined);
  }
  // The rotation is done, and the new key is here and nowhere else.
  const problem = rotating.variables?.newKey === progress?.newKey ? rotating.data?.problem : undefined;
  const markKeyProved = (newKey: NewKey, key: OpeningKey) => {
    markProved(newKey, key);
    if (!problem) return;
    addKeys(form.id, [labelKey(key, form.id, newKey.keyVersion)]);
    void reportProof(form.id, newKey.keyVersion).then(settle);
  };
  return {
    ...props,
    making,
    rotating,
    progress,
    problem,
    markSaved,
    markProved: markKeyProved,
    giveUp: discard,
    shown,
    hasReceiver,
    hybrid: { wantsHybrid, setWantsHybrid },
    end,
    setEnd,
    isOptional: envelope !== undefined && !problem,
    hasKeyLog: keyLog !== undefined,
    isLocked: typeof envelope === "string" || typeof keyLog === "string" || Boolean(instead),
    isCurrentProved: provesFingerprint(useKeys(form.id), currentFingerprint),
  };
}

interface Rotated {
  readonly keyVersion: number;
  /** Why the key has to be saved as a file. */
  readonly problem?: ReactNode;
}

async function rotate(
  { form, envelope, keyLog }: RotationProps,
  newKey: NewKey,
  closing: KeyClosing | undefined,
  shown: ShownRotation | undefined,
): Promise<Rotated> {
  if (envelope !== undefined && typeof envelope !== "string") {
    if (shown === undefined) throw new Explained(text.formKeys.envelopeUnread);
    return { keyVersion: newKey.keyVersion, problem: await envelope.rotate(newKey, closing, shown) };
  }
  const before = await client.forms.keys(form.id);
  const isOvertaken = (findNewestKey(before)?.version ?? 0) >= newKey.keyVersion;
  // The saved file says which version it opens, and receivers go by that.
  if (isOvertaken && before.every(({ fingerprint }) => fingerprint !== newKey.fingerprint))
    throw new Explained(text.formKeys.overtaken);
  try {
    const keyLogEntry = typeof keyLog === "string" ? undefined : await keyLog?.(newKey);
    const rotation = {
      ...publicKeysOf(newKey),
      ...(closing && { closeKeyVersions: closing }),
      ...(keyLogEntry !== undefined && { keyLogEntry }),
    };
    const { keyVersion } = await withFreshSession(() => client.forms.rotateKeys(form.id, rotation));
    return { keyVersion };
  } catch (error) {
    // Perhaps only the answer was lost, now or at the last try: then the server has the key already.
    const versions = await client.forms.keys(form.id).catch(() => []);
    const own = versions.find(({ fingerprint }) => fingerprint === newKey.fingerprint);
    if (own === undefined) throw error;
    return { keyVersion: own.version };
  }
}
