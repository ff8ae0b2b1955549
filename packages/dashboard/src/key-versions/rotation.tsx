import { findRotatedEnvelope } from "@sealpost/envelope";
import { ApiError, findNewestKey, type KeyClosing, type KeyFile } from "@sealpost/sdk";
import { findShown, isReplaceable, OvertakenError, type ShownRotation } from "@sealpost/sdk/envelopes";
import type { FormId } from "@sealpost/wire";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ComponentProps, useState } from "react";
import { Explained } from "../api/describe-error.ts";
import { queries } from "../api/queries.ts";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { continueKeyLog } from "../envelopes/continue-key-log.ts";
import { envelopeListQuery } from "../envelopes/envelope-list-query.ts";
import { type CheckedList, loadList } from "../envelopes/load-list.ts";
import type { OpenedForm } from "../envelopes/open-form.ts";
import { rotateWithEnvelope } from "../envelopes/store-envelope.ts";
import { useKeyLog } from "../key-log/key-log-query.ts";
import { addEnvelopeKeys } from "../keys/keyring.ts";
import { type NewKey, publicKeysOf } from "../keys/new-key.ts";
import { toFormKey } from "../keys/to-form-key.ts";
import { useEnvelopeContext } from "../personal-key/use-envelope-context.ts";
import { usePersonalKey } from "../personal-key/use-personal-key.ts";
import { prove } from "../readers/make-form.ts";
import { ForReading, StoredUnread } from "../readers/refusal-notice.tsx";
import { useFormEnvelope } from "../readers/use-form-envelope.ts";
import { shownName } from "../texts/shown-name.ts";
import { text } from "../texts/text.ts";
import { Skeleton } from "../ui/page.tsx";
import { requireConfirmed } from "./require-version.ts";
import { RotateKeys } from "./rotate-keys.tsx";
import { type EnvelopeRotation, isLoss, ShownAgain } from "./use-rotation.ts";

const { envelopes: texts } = text;

/** Rotation of a form's keys, together with its envelope where it has one and the person has a key that opens it. */
export default function Rotation(props: Omit<ComponentProps<typeof RotateKeys>, "envelope" | "keyLog">) {
  const { form } = props;
  const key = usePersonalKey();
  const hasKey = key.kind === "open" || key.kind === "locked";
  const stored = useQuery({ ...envelopeListQuery(form.id), enabled: hasKey });
  const context = useEnvelopeContext();
  const { data, isPending: isOpening } = useFormEnvelope(form.id, context);
  const queryClient = useQueryClient();
  const opened = context && data?.kind === "opened" && data.refused.every(isReplaceable) ? data : undefined;
  const hasEnvelope = hasKey && (stored.data?.length ?? 0) > 0;
  const list = opened?.list.kind === "checked" ? opened.list : undefined;
  const rotation = context && opened && list && createRotation(context, opened, list, form.id as FormId); // the server names no other
  const reload = () => queryClient.invalidateQueries({ queryKey: ["form", form.id] });
  const envelope: EnvelopeRotation | undefined = rotation && {
    requireConfirmed: (confirmed) =>
      requireConfirmed(context, { ...opened, list }, form.id as FormId, confirmed).catch(orReload(reload)), // as above
    namesOf: (ids) => [...list.list.members.values()].filter(({ id }) => ids.includes(id)).map(shownName),
    findShown: (version) => {
      const previous = findRotatedEnvelope(opened.envelopes, version);
      return previous && findShown(list, previous, opened.envelopes);
    },
    rotate: async (newKey, closeKeyVersions, shown) => {
      try {
        return await rotation(newKey, closeKeyVersions, shown);
      } catch (error) {
        const isChanged = error instanceof ApiError && [409, 412].includes(error.status);
        if (!isChanged && !(error instanceof OvertakenError)) throw error;
        await reload();
        const newest = findNewestKey(queryClient.getQueryData(queries.keys(form.id).queryKey) ?? [])?.version ?? 0;
        const isOvertaken = newest >= newKey.keyVersion;
        if (isOvertaken) throw new Explained(texts.rotate.changed(newest));
        throw new ShownAgain(isLoss(shown) ? texts.rotate.changedReaders : texts.rotate.changedList);
      }
    },
  };
  const log = useKeyLog(form.id);
  // A step that was begun stays, whatever is asked for later: it may hold a new key.
  const [isKnown, setIsKnown] = useState(false);
  const isAwaited = (key.kind === "unknown" && !key.error) || stored.isLoading || log.isPending;
  if (!isKnown && !isAwaited) setIsKnown(true);
  const hasLog = log.data !== undefined && log.data.kind !== "none";
  const { data: isForReading } = useQuery({
    queryKey: ["form", form.id, "list-for-reading", context?.own.signingKey],
    queryFn: async () => context !== undefined && (await loadList(context)).kind === "for_reading",
    enabled: context !== undefined && (hasEnvelope || hasLog),
    staleTime: 0,
  });
  if (!isKnown) return <Skeleton className="h-24 w-full" />;
  const missing = key.kind !== "open" ? "locked" : context === undefined || isOpening ? "loading" : "unread";
  const signEntry = context && ((newKey: NewKey) => signNewKey(context, form.id as FormId, newKey)); // the server names no other
  return (
    <RotateKeys
      {...props}
      instead={isForReading && <ForReading />}
      envelope={hasEnvelope ? (envelope ?? missing) : undefined}
      keyLog={hasLog ? (signEntry ?? missing) : undefined}
    />
  );
}

/** Loads what somebody else has changed, and says so. */
function orReload(reload: () => Promise<void>) {
  return async (error: unknown): Promise<never> => {
    if (!(error instanceof OvertakenError)) throw error;
    await reload();
    throw new Explained(texts.rotate.changedEnvelope);
  };
}

/** The entry of a key that is in no envelope. */
async function signNewKey(context: EnvelopeContext, formId: FormId, newKey: NewKey): Promise<string | undefined> {
  const loaded = await loadList(context);
  if (loaded.kind === "for_reading") throw new Explained(texts.forReadingHint);
  const { fingerprint, keyVersion: version, hybrid } = newKey;
  const { seed } = JSON.parse(newKey.text) as KeyFile; // made by `makeKey`
  const key = { version, fingerprint, hybridFingerprint: hybrid?.fingerprint ?? null, ...(seed && { seed }) };
  return continueKeyLog(context, loaded.kind === "checked" ? loaded : undefined, formId, key);
}

function createRotation(context: EnvelopeContext, opened: OpenedForm, list: CheckedList, formId: FormId) {
  const { envelopes, refused } = opened;
  return async (newKey: NewKey, closeKeyVersions: KeyClosing | undefined, shown: ShownRotation) => {
    const { keyVersion } = newKey;
    const previous = findRotatedEnvelope(envelopes, keyVersion);
    if (previous === undefined) throw new Explained(text.formKeys.envelopeUnread);
    const key = await toFormKey(JSON.parse(newKey.text), keyVersion);
    const rotation = { ...publicKeysOf(newKey), keyVersion, ...(closeKeyVersions && { closeKeyVersions }) };
    const sent = await rotateWithEnvelope(context, list, formId, rotation, { key, previous, refused, shown });
    const stored = await prove(newKey, sent);
    if (stored.kind === "unread") return <StoredUnread reason={stored.reason} />;
    addEnvelopeKeys(formId, stored.keys);
    return undefined;
  };
}
