import type { FormKey } from "@sealpost/envelope";
import { ApiError, type FormKey as PublishedKey } from "@sealpost/sdk";
import { OvertakenError } from "@sealpost/sdk/envelopes";
import type { FormId } from "@sealpost/wire";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../api/client.ts";
import { Explained } from "../api/describe-error.ts";
import { compareBrought } from "../envelopes/compare-brought.ts";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { findOrFoundList } from "../envelopes/found-list.ts";
import type { CheckedList } from "../envelopes/load-list.ts";
import type { OpenedForm } from "../envelopes/open-form.ts";
import { findImportReaders, type ImportedFor, importKeys, isHeldIn } from "../envelopes/store-envelope.ts";
import { KeyPicker } from "../keys/key-picker.tsx";
import { provesKey } from "../keys/new-key.ts";
import { shownName } from "../texts/shown-name.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Notice } from "../ui/notice.tsx";
import { FirstReaders } from "./first-readers.tsx";
import { useFirstSight } from "./first-sight.ts";
import { type BroughtKey, readBroughtKey } from "./read-brought-key.ts";
import { EnvelopeError } from "./recovery-needed.tsx";
import { ListRefused, StoredUnread } from "./refusal-notice.tsx";

const { envelopes: texts } = text;

/**
 * Takes key files once more and puts their keys into the form's envelope: each has to open a test value that is sealed to the key which the server
 * publishes, and the current version has to be among them. Names everybody who reads with them afterwards. `onDone` gets the versions that were read back.
 */
export function BringKeys({
  context,
  formId,
  formName,
  published,
  opened,
  onDone,
  onClose,
}: {
  readonly context: EnvelopeContext;
  readonly formId: FormId;
  readonly formName: string;
  readonly published: readonly PublishedKey[];
  /** The form's envelopes; `undefined`: it has none. */
  readonly opened: OpenedForm | undefined;
  readonly onDone: (versions: readonly number[]) => void;
  readonly onClose: () => void;
}) {
  const [brought, setBrought] = useState<readonly FormKey[]>([]);
  const { envelopes = [], list: known } = opened ?? {};
  const readers = known?.kind === "checked" ? findImportReaders(known, brought, envelopes) : undefined;
  const queryClient = useQueryClient();
  const { accept } = useFirstSight(envelopes.length === 0 ? context : undefined);
  const storing = useMutation({
    mutationFn: async ({ keys, shown }: { readonly keys: readonly FormKey[]; readonly shown: typeof readers }) => {
      await accept();
      const list = await findOrFoundList(context);
      if (list.kind !== "checked") return { list };
      return { stored: await importKeys(context, list, formId, keys, envelopes, formName, shown) };
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ["form", formId] }),
    onSuccess: async ({ stored }, { keys }) => {
      if (stored === undefined || stored.some(({ kind }) => kind === "unread")) return;
      // They were proved before they were sent. Should this not arrive, unlocking the form says it again.
      await Promise.allSettled(keys.map(({ version }) => client.forms.proveKey(formId, version)));
      onDone(keys.map(({ version }) => version));
    },
  });
  const unread = storing.data?.stored?.find((stored) => stored.kind === "unread");
  const isOvertaken = storing.error instanceof OvertakenError;
  const isChanged = isOvertaken || (storing.error instanceof ApiError && storing.error.status === 412);
  return (
    <Dialog onClose={onClose} title={texts.bring.title}>
      <div className="grid gap-4">
        <p className="text-muted">{texts.bring.intro}</p>
        {envelopes.length === 0 && storing.data === undefined && <FirstReaders context={context} />}
        <KeyPicker
          onKeys={async (found) => {
            const chosen = await chooseKeys(found, published, { brought, envelopes });
            if (typeof chosen === "string") return chosen;
            const refused = await findRefusal(compareBrought(context, formId, chosen));
            if (refused !== undefined) return refused;
            setBrought((before) => [...before, ...chosen]);
            return undefined;
          }}
          read={readBroughtKey}
        />
        <div className="empty:absolute" role="status">
          {brought.length > 0 && <Notice tone="good">{texts.bring.found(versionsOf(brought))}</Notice>}
        </div>
        {known?.kind === "checked" && readers?.map((one) => <Readers key={`${one.versions}`} {...one} list={known} />)}
        {known !== undefined && brought.length > 0 && <p className="text-muted text-sm">{texts.bring.readersHint}</p>}
        <p className="text-muted text-sm">{texts.bring.stays}</p>
        {storing.data?.list && <ListRefused list={storing.data.list} />}
        {unread && <StoredUnread reason={unread.reason} />}
        {isChanged && (
          <Notice role="alert" tone="warning">
            {isOvertaken ? texts.bring.changedReaders : texts.bring.changed}
          </Notice>
        )}
        {storing.isError && !isChanged && <EnvelopeError error={storing.error} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>{text.common.cancel}</Button>
          <Button
            disabled={brought.length === 0}
            look="primary"
            onClick={() => storing.mutate({ keys: brought, shown: readers })}
            pending={storing.isPending}
          >
            {texts.bring.submit}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

/** As the list names them, never the server. */
function Readers({ versions, readerIds, list }: ImportedFor & { readonly list: CheckedList }) {
  const title = texts.bring.readers(versions);
  return (
    <div>
      <h3 className="font-medium">{title}</h3>
      <ul aria-label={title} className="list-disc pl-5">
        {readerIds.map((id) => (
          <li className="wrap-anywhere" key={id}>
            <bdi>{shownName({ id, name: list.list.members.get(id)?.name })}</bdi>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The keys to put into the envelope, or the sentence why there are none. */
async function chooseKeys(
  found: readonly BroughtKey[],
  published: readonly PublishedKey[],
  { brought, envelopes }: { readonly brought: readonly FormKey[]; readonly envelopes: OpenedForm["envelopes"] },
): Promise<readonly FormKey[] | string> {
  const proved = await proveBrought(found, published);
  if (typeof proved === "string") return proved;
  const held = [...brought, ...envelopes.flatMap(({ head }) => head.keys)].map(({ version }) => version);
  const current = published.reduce((newest, { version }) => Math.max(newest, version), 0);
  if (!held.includes(current) && !proved.has(current)) return texts.bring.currentNeeded(current);
  const keys = await Promise.all([...proved].map(([version, { toFormKey }]) => toFormKey(version)));
  const isBrought = ({ version }: FormKey) => brought.some((key) => key.version === version);
  const fresh = keys.filter((key) => !isBrought(key) && !isHeldIn(envelopes, key));
  return fresh.length === 0 ? texts.bring.known : fresh;
}

/** Why these keys are not put in, where that is known before anything is sent. */
async function findRefusal(comparing: Promise<void>): Promise<string | undefined> {
  try {
    await comparing;
    return undefined;
  } catch (error) {
    if (error instanceof Explained) return error.message;
    throw error;
  }
}

/** By their versions, those of the form's keys that open a test value; the sentence if there are none, or one does not. */
export async function proveBrought(
  found: readonly BroughtKey[],
  published: readonly PublishedKey[],
): Promise<ReadonlyMap<number, BroughtKey> | string> {
  const proved = new Map<number, BroughtKey>();
  for (const brought of found) {
    const own = published.find(({ fingerprint }) => fingerprint === brought.key.fingerprint);
    if (own === undefined) continue;
    const { publicKey, hybridPublicKey, version } = own;
    const toProve = { publicKey, keyVersion: version, ...(hybridPublicKey && { hybridPublicKey }) };
    if (!(await provesKey(toProve, brought.key))) return texts.bring.notWhole(version);
    proved.set(version, brought);
  }
  return proved.size === 0 ? text.keys.unknownKey : proved;
}

function versionsOf(keys: readonly { readonly version: number }[]): readonly number[] {
  return keys.map(({ version }) => version).sort((one, other) => one - other);
}
