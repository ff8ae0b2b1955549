import { formatDateTime, formatList } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import type { EnvelopeNote, HeldKeys } from "./held-keys.ts";
import { describeWaitingShares } from "./join-sets.ts";
import type { WaitingFile } from "./key-pool.ts";

const { offline } = text;

const texts = offline;

/** Envelopes, copies and personal keys that were brought: those that wait, are refused, or that nobody has checked. */
export function KeyFindings({
  held: { pool, shares, envelopes, refusals },
  nameOf,
  onRemove,
}: {
  readonly held: HeldKeys;
  readonly nameOf: (formId: string) => string;
  /** Takes a file that waits away again. */
  readonly onRemove: (file: WaitingFile) => void;
}) {
  const { identities, waiting } = pool;
  return (
    <>
      {refusals.length > 0 && (
        <Notice role="alert" title={texts.refusedTitle} tone="danger">
          <Sentences sentences={refusals} />
        </Notice>
      )}
      <div className="grid gap-3 empty:hidden" role="status">
        {identities.length > 0 && envelopes.length === 0 && (
          <Notice title={texts.identitiesRead(identities.length)} tone="good">
            {waiting.length === 0 && texts.identitiesAlone}
          </Notice>
        )}
        {shares.length > 0 && (
          <Notice title={texts.sharesTitle} tone="warning">
            <Sentences sentences={describeWaitingShares(shares)} />
          </Notice>
        )}
        {waiting.length > 0 && (
          <Notice title={texts.waiting(waiting.length)} tone="warning">
            <Waiting onRemove={onRemove} waiting={waiting} />
          </Notice>
        )}
        {envelopes.length > 0 && <EnvelopeNotes envelopes={envelopes} nameOf={nameOf} />}
      </div>
    </>
  );
}

function Waiting({
  waiting,
  onRemove,
}: {
  readonly waiting: readonly WaitingFile[];
  readonly onRemove: (file: WaitingFile) => void;
}) {
  return (
    <ul className="grid gap-2">
      {waiting.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name
        <li className="grid justify-items-start gap-1.5 wrap-anywhere" key={`${index} ${file.name}`}>
          <bdi>{describeWaiting(file)}</bdi>
          <Button aria-label={texts.removeOf(file.name ?? texts.pasted)} onClick={() => onRemove(file)} small>
            {texts.remove}
          </Button>
        </li>
      ))}
    </ul>
  );
}

function describeWaiting({ name, tried, isCopyPossible }: WaitingFile): string {
  const need = isCopyPossible ? texts.needsSheet : texts.needsReader;
  return `${name ?? texts.pasted}: ${tried > 0 ? `${texts.noneOpens} ` : ""}${need}`;
}

function Sentences({ sentences }: { readonly sentences: readonly string[] }) {
  return (
    <ul className="grid gap-1">
      {[...new Set(sentences)].map((sentence) => (
        <li className="wrap-anywhere" key={sentence}>
          <bdi>{sentence}</bdi>
        </li>
      ))}
    </ul>
  );
}

function EnvelopeNotes({
  envelopes,
  nameOf,
}: {
  readonly envelopes: readonly EnvelopeNote[];
  readonly nameOf: (formId: string) => string;
}) {
  return (
    <Notice title={texts.envelopes(envelopes.length)}>
      <details>
        <summary className="cursor-pointer">{texts.envelopeDetails}</summary>
        <ul className="mt-2 grid gap-2">
          {envelopes.map((note) => (
            <li className="wrap-anywhere" key={JSON.stringify(note)}>
              <bdi className="font-medium">
                {texts.envelopeOf(nameOf(note.formId), note.versions.length, formatList(note.versions))}
              </bdi>
              <bdi className="block">{describeEnvelope(note)}</bdi>
            </li>
          ))}
        </ul>
        <p className="mt-2">{texts.envelopeUnchecked}</p>
      </details>
    </Notice>
  );
}

function describeEnvelope({ readers, signedBy, writtenAt, revision }: EnvelopeNote): string {
  const ids = formatList(readers.map(({ id }) => id));
  return texts.envelopeSays(signedBy, formatDateTime(Date.parse(writtenAt)), revision, ids);
}
