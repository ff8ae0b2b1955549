import { asFormName, findSignedName } from "@sealpost/envelope";
import type { Form } from "@sealpost/sdk";
import {
  type Bringable,
  bringBack,
  type Difference,
  findBringable,
  findClearable,
  type StoredEnvelope,
  type TakenOut,
  UnfinishedSearchError,
} from "@sealpost/sdk/envelopes";
import type { FormId } from "@sealpost/wire";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { EnvelopeContext } from "../envelopes/context.ts";
import type { CheckedList } from "../envelopes/load-list.ts";
import { ActionDialog } from "../form-kit/action-dialog.tsx";
import { shownName } from "../texts/shown-name.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { CloseButton } from "../ui/close-button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Time } from "../ui/time.tsx";
import { ClearEnvelope } from "./clear-envelope.tsx";
import { StoredUnread } from "./refusal-notice.tsx";
import { RotateForms } from "./rotate-forms.tsx";
import { UnfinishedSearch } from "./unfinished-search.tsx";

const { envelopes: texts } = text;

const { bringBack: words } = texts;

interface Parts {
  readonly context: EnvelopeContext;
  readonly list: CheckedList;
  readonly form: Form;
  /** The first version of the envelope whose newest revision was refused. */
  readonly firstVersion: number;
  readonly onClose: () => void;
}

/** Offers to follow a revision that can't be used with what was in the envelope before. */
export function BringBack({ onClose, ...parts }: Parts) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button className="justify-self-start" onClick={() => setIsOpen(true)}>
        {words.action}
      </Button>
      {isOpen && (
        <BringBackDialog
          {...parts}
          onClose={() => {
            setIsOpen(false);
            onClose();
          }}
        />
      )}
    </>
  );
}

function BringBackDialog({ context, list, form, firstVersion, onClose }: Parts) {
  const formId = form.id as FormId; // the server names no other
  const [isThorough, setIsThorough] = useState(false);
  const finding = useQuery({
    queryKey: ["form", formId, "bring-back", firstVersion, isThorough],
    queryFn: () => findWays({ context, list, formId, firstVersion, isThorough }),
    gcTime: 0,
    refetchOnWindowFocus: false,
    retry: (count, error) => !(error instanceof UnfinishedSearchError) && count < 1,
  });
  const [stored, setStored] = useState<StoredEnvelope>();
  const { bringable: found, clearable } = finding.data ?? {};
  if (stored !== undefined) return <Brought {...{ context, form, stored, onClose }} />;
  if (clearable) return <ClearEnvelope {...{ context, list, form, onClose }} found={clearable} />;
  if (!found)
    return (
      <NothingFound
        error={finding.error}
        isDone={finding.isSuccess}
        onClose={onClose}
        onContinue={() => setIsThorough(true)}
      />
    );
  const { takenOut } = found;
  const isManager = list.own.role !== "owner";
  if (takenOut && isManager && takenOut.ownerIds.length > 0)
    return (
      <Dialog footer={<CloseButton onClose={onClose} />} onClose={onClose} title={words.title}>
        <MaybeTakenOut list={list} takenOut={takenOut} />
      </Dialog>
    );
  return <Question {...{ context, list, form, found, onClose }} onStored={setStored} />;
}

/** The revision that is brought back, and its readers, before it is stored. */
function Question({
  context,
  list,
  form,
  found,
  onClose,
  onStored,
}: Omit<Parts, "firstVersion"> & {
  readonly found: Bringable;
  readonly onStored: (stored: StoredEnvelope) => void;
}) {
  const { takenOut } = found;
  const [returningIds, setReturningIds] = useState<readonly string[]>([]);
  const bringing = useMutation({
    mutationFn: () => bringBack(context, list, found, { returningIds }),
    onSuccess: onStored,
  });
  const signed = findSignedName([found.older]);
  return (
    <ActionDialog
      action={words.submit}
      look={takenOut && list.own.role !== "owner" ? "secondary" : "primary"}
      isPending={bringing.isPending}
      onClose={onClose}
      onConfirm={() => bringing.mutate()}
      title={words.title}
    >
      {takenOut && <MaybeTakenOut list={list} takenOut={takenOut} />}
      {signed !== undefined && (
        <p className="wrap-anywhere">
          <bdi>{texts.formNames.signed(signed)}</bdi>{" "}
          {asFormName(form.id as FormId, form.name) !== signed && <bdi>{texts.formNames.other(form.name)}</bdi>}
        </p>
      )}
      {found.difference && (
        <Differences
          chosen={returningIds}
          difference={found.difference}
          list={list}
          onChoose={setReturningIds}
          revision={found.newest.revision}
        />
      )}
      <FoundRevision chosen={returningIds} found={found} list={list} />
      {bringing.isError && <ErrorNotice error={bringing.error} />}
    </ActionDialog>
  );
}

/** Who comes back by it, and who goes. Nobody comes back who was not chosen. */
function Differences({
  difference: { returningIds, leavingIds, returningVersions, leavingVersions },
  revision,
  list: { list },
  chosen,
  onChoose,
}: {
  readonly difference: Difference;
  readonly revision: number;
  readonly list: CheckedList;
  readonly chosen: readonly string[];
  readonly onChoose: (ids: readonly string[]) => void;
}) {
  const nameOf = (id: string) => shownName({ id, name: list.members.get(id)?.name });
  const { difference: texts } = words;
  const toggle = (id: string) => onChoose(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  return (
    <>
      {returningIds.length > 0 && (
        <fieldset className="grid grid-cols-1 gap-2 rounded-lg border border-warning/30 p-4">
          <legend className="px-1 font-medium">{texts.returning}</legend>
          <p>{texts.returningHint(revision)}</p>
          {returningIds.map((id) => (
            <label className="flex items-start gap-3 py-1 pointer-coarse:min-h-11" key={id}>
              <input checked={chosen.includes(id)} className="mt-1" onChange={() => toggle(id)} type="checkbox" />
              <bdi className="min-w-0 wrap-anywhere">{nameOf(id)}</bdi>
            </label>
          ))}
        </fieldset>
      )}
      {leavingIds.length > 0 && (
        <p className="wrap-anywhere">
          <bdi>{texts.leaving(revision, leavingIds.map(nameOf))}</bdi>
        </p>
      )}
      {leavingVersions.length > 0 && <p>{texts.leavingKeys(revision, leavingVersions)}</p>}
      {returningVersions.length > 0 && <p>{texts.returningKeys(revision, returningVersions)}</p>}
    </>
  );
}

/** The answer, once a revision was stored. */
function Brought({
  context,
  form,
  stored,
  onClose,
}: Pick<Parts, "context" | "form" | "onClose"> & { readonly stored: StoredEnvelope }) {
  return (
    <Dialog footer={<CloseButton onClose={onClose} />} onClose={onClose} title={words.title}>
      <div className="grid gap-4">
        {stored.kind === "unread" ? (
          <StoredUnread reason={stored.reason} />
        ) : (
          <>
            <div role="status">
              <Notice tone="good">{words.done}</Notice>
            </div>
            <RotateForms context={context} forms={[form]} />
          </>
        )}
      </div>
    </Dialog>
  );
}

/** A revision that is not accounted for may be from somebody who has taken the person out. Names the owners where one of them has to bring back. */
function MaybeTakenOut({
  takenOut: { revision, why, createdAt, writerId, ownerIds },
  list: { list, own },
}: {
  readonly takenOut: TakenOut;
  readonly list: CheckedList;
}) {
  const nameOf = (id: string) => shownName({ id, name: list.members.get(id)?.name });
  const { takenOut: texts } = words;
  return (
    <Notice title={texts.title} tone="warning">
      <p>
        {texts.why[why](revision)} {writerId !== undefined && <bdi>{texts.stored(nameOf(writerId))}</bdi>}
        {createdAt !== undefined && (
          <>
            {" "}
            {texts.at}
            <Time at={createdAt} />.
          </>
        )}
      </p>
      <p>{texts.ask}</p>
      {own.role !== "owner" && ownerIds.length > 0 && (
        <p>
          <bdi>{texts.ownerNeeded(ownerIds.map(nameOf))}</bdi>
        </p>
      )}
    </Notice>
  );
}

/** It is being looked for, or there is none. */
function NothingFound({
  error,
  isDone,
  onClose,
  onContinue,
}: Pick<Parts, "onClose"> & {
  readonly error: Error | null;
  readonly isDone: boolean;
  readonly onContinue: () => void;
}) {
  return (
    <Dialog footer={<CloseButton onClose={onClose} />} onClose={onClose} title={words.title}>
      <div role="status">{isDone ? <p>{words.none}</p> : !error && <p className="text-muted">{words.looking}</p>}</div>
      {error instanceof UnfinishedSearchError ? (
        <UnfinishedSearch error={error} onContinue={onContinue} />
      ) : (
        error && <ErrorNotice error={error} />
      )}
    </Dialog>
  );
}

/** A revision to bring back or, where none opens, an envelope that an owner may write without keys. */
async function findWays({
  context,
  list,
  formId,
  firstVersion,
  ...options
}: Pick<Parts, "context" | "list" | "firstVersion"> & { readonly formId: FormId; readonly isThorough: boolean }) {
  const bringable = await findBringable(context, list, formId, firstVersion, options);
  const clearable = bringable ? undefined : await findClearable(context, list, formId, firstVersion, options);
  return { bringable, clearable };
}

function FoundRevision({
  found: { newest, older, kept, readerIds, missing, difference },
  list: { list },
  chosen,
}: {
  readonly found: Bringable;
  /** Ids of the readers who come back. */
  readonly chosen: readonly string[];
  readonly list: CheckedList;
}) {
  const ids = [...readerIds, ...chosen];
  const readers = [...list.members.values()].filter(({ id, role }) => ids.includes(id) || role === "recovery");
  return (
    <>
      {kept ? (
        <p>{words.kept(newest.revision)}</p>
      ) : (
        <p>
          {words.newer(newest.revision, newest.revision - older.head.revision - 1)}
          <Time at={newest.createdAt} />.
        </p>
      )}
      <p>
        {words.older(
          older.head.revision,
          older.head.keys.map(({ version }) => version).filter((version) => !older.ahead?.includes(version)),
        )}
        <bdi>{texts.section.written(shownName(older.writtenBy))}</bdi>
        <Time at={Date.parse(older.writtenAt)} />.
      </p>
      <h3 className="font-medium">{words.readers}</h3>
      <ul aria-label={words.readers} className="list-disc pl-5">
        {readers.map(({ id, name }) => (
          <li key={id}>
            <bdi>{shownName({ id, name })}</bdi>
          </li>
        ))}
      </ul>
      <p className="text-muted text-sm">{difference ? words.readersHintKnown : words.readersHint}</p>
      {missing.length > 0 && (
        <Notice title={words.missingTitle(missing)} tone="warning">
          {words.missing}
        </Notice>
      )}
    </>
  );
}
