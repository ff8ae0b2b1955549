import type { Form, FormKey as PublishedKey } from "@sealpost/sdk";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { orArrivedBefore, type Unsure } from "../api/attempt.ts";
import { client } from "../api/client.ts";
import type { EnvelopeContext } from "../envelopes/context.ts";
import type { OpenedForm } from "../envelopes/open-form.ts";
import { KeyPicker } from "../keys/key-picker.tsx";
import { addKeys, labelKey } from "../keys/keyring.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Time } from "../ui/time.tsx";
import { proveBrought } from "./bring-keys.tsx";
import { FormNames } from "./form-names.tsx";
import { type BroughtKey, readBroughtKey } from "./read-brought-key.ts";
import { SaveFiles } from "./save-files.tsx";

const { envelopes: texts } = text;

const { remove } = texts;

/** Takes a form back to key files, once a file of each key that it may have in its envelopes has opened a test value. */
export function RemoveEnvelope({
  context,
  form,
  opened,
  published,
  onDone,
  onClose,
}: {
  readonly context: EnvelopeContext;
  readonly form: Form;
  readonly opened: OpenedForm;
  readonly published: readonly PublishedKey[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}) {
  const [proved, setProved] = useState<ReadonlyMap<number, BroughtKey>>(new Map());
  const left = findVersions(opened, published).filter((version) => !proved.has(version));
  const removing = useRemoving(context, form.id, proved, onDone);
  return (
    <Dialog onClose={onClose} title={remove.title}>
      <div className="grid gap-4">
        <FormNames form={form} />
        <p className="text-muted">{remove.intro}</p>
        {opened.envelopes.length > 0 && <SaveStep form={form} opened={opened} published={published} />}
        <h3 className="font-semibold">{opened.envelopes.length > 0 ? remove.proveTitle : remove.proveAlone}</h3>
        <p className="text-muted">{opened.refused.length > 0 ? remove.proveAll : remove.proveIntro}</p>
        <KeyPicker
          onKeys={async (found) => {
            const result = await proveBrought(found, published);
            if (typeof result === "string") return result;
            setProved((before) => new Map([...before, ...result]));
            return undefined;
          }}
          read={readBroughtKey}
        />
        <div className="grid gap-2" role="status">
          {proved.size > 0 && <Notice tone="good">{remove.proved([...proved.keys()])}</Notice>}
          {left.length > 0 && <p className="text-muted">{remove.left(left)}</p>}
        </div>
        {removing.isError && <ErrorNotice error={removing.error} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>{text.common.cancel}</Button>
          <Button
            disabled={left.length > 0}
            look="danger"
            onClick={() => removing.mutate()}
            pending={removing.isPending}
          >
            {remove.submit}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

/** A file of each key that an envelope has here. */
function SaveStep(props: Parameters<typeof SaveFiles>[0]) {
  return (
    <>
      <h3 className="font-semibold">{remove.saveTitle}</h3>
      <SaveFiles {...props} />
    </>
  );
}

/** The versions in the form's envelopes; where one is refused, nobody here knows what is in it, so all that the form has. */
function findVersions({ envelopes, refused }: OpenedForm, published: readonly PublishedKey[]): readonly number[] {
  const held = envelopes.flatMap(({ head }) => head.keys.map(({ version }) => version));
  return refused.length === 0 ? held : [...new Set([...held, ...published.map(({ version }) => version)])];
}

/** Takes the envelopes away, and opens the form with the keys that were proved. */
function useRemoving(
  context: EnvelopeContext,
  formId: string,
  proved: ReadonlyMap<number, BroughtKey>,
  onDone: () => void,
) {
  const unsure = useRef<Unsure>({ current: false });
  const queryClient = useQueryClient();
  const removing = useMutation({
    mutationFn: async () => {
      // Where only the answer was lost, this browser has to note it all the same: it would say that the server hides the envelope.
      await orArrivedBefore(
        unsure.current,
        () => withFreshSession(() => client.envelopes.remove(formId)),
        () => findRemoved(formId),
      );
      await context.heads.markRemoved(formId);
    },
    onSuccess: async () => {
      const keys = [...proved].map(([version, { key }]) => labelKey(key, formId, version));
      addKeys(formId, keys);
      await queryClient.invalidateQueries({ queryKey: ["form", formId] });
      onDone();
    },
  });
  return removing;
}

/** The list of a form without envelopes, which is empty. */
async function findRemoved(formId: string) {
  const list = await client.envelopes.list(formId);
  return list.length === 0 ? { envelopes: list } : undefined;
}

/** Puts back what was taken away, while that is possible: the last, or one from before. */
export function RestoreEnvelope({ formId, onRestored }: { readonly formId: string; readonly onRestored: () => void }) {
  const queryClient = useQueryClient();
  const { data: removals = [] } = useQuery({
    queryKey: ["form", formId, "envelope-removals"],
    queryFn: () => client.envelopes.removals(formId),
  });
  const restoring = useMutation({
    mutationFn: (removedAt: number) => withFreshSession(() => client.envelopes.restore(formId, removedAt)),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["form", formId] });
      onRestored();
    },
  });
  return (
    <>
      {removals.map((removedAt) => (
        <Notice
          action={
            <Button
              onClick={() => restoring.mutate(removedAt)}
              pending={restoring.isPending && restoring.variables === removedAt}
              small
            >
              {remove.restore}
            </Button>
          }
          key={removedAt}
        >
          {remove.restorable}
          <Time at={removedAt} />
        </Notice>
      ))}
      {restoring.isError && <ErrorNotice error={restoring.error} />}
    </>
  );
}
