import { exactFieldsOf } from "@sealpost/wire";
import type { ReactNode } from "react";
import { formatExactTime } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { FieldList } from "./field-list.tsx";
import { ReloadButton } from "./reload-button.tsx";
import type { Row } from "./row.ts";

/** The answers of a submission, or why they are not readable, and its details. */
export function SubmissionContent({
  row: { id, opened, receivedAt, timestamp, keyVersion, isHybrid = false },
  isSealedForm,
  onAddKey,
}: {
  readonly row: Row;
  /** One that came in the clear deserves a warning. */
  readonly isSealedForm: boolean;
  readonly onAddKey: () => void;
}) {
  const texts = text.submissions;
  return (
    <>
      {opened === undefined && <p className="text-muted">{texts.waiting}</p>}
      {opened?.opened === false && (
        <Notice
          action={
            opened.reason === "no_key" ? (
              <Button onClick={onAddKey} small>
                {texts.addKey}
              </Button>
            ) : (
              opened.reason === "not_loaded" && <ReloadButton />
            )
          }
          title={texts.reasons[opened.reason]}
          tone="warning"
        >
          {opened.reason === "no_key"
            ? texts.reasonHints.no_key(keyVersion, isHybrid)
            : texts.reasonHints[opened.reason]}
        </Notice>
      )}
      {opened?.opened === true && !opened.sealed && isSealedForm && (
        <Notice title={texts.reasons.not_sealed} tone="warning">
          {texts.reasonHints.not_sealed}
        </Notice>
      )}
      {opened?.opened === true && <FieldList fields={exactFieldsOf(opened)} />}
      {opened?.opened === true && opened.sealpost !== undefined && <p className="text-muted">{texts.sealedAlong}</p>}
      <dl className="grid gap-x-4 border-line border-t pt-4 text-sm sm:gap-y-1.5 sm:grid-cols-[auto_1fr]">
        <Detail name={texts.receivedAt}>{formatExactTime(receivedAt)}</Detail>
        <Detail name={texts.sentAt}>{formatExactTime(timestamp)}</Detail>
        <Detail name={texts.keyVersion}>{keyVersion}</Detail>
        <Detail name={texts.id}>
          <code translate="no" className="break-all font-mono">
            {id}
          </code>
        </Detail>
      </dl>
      {opened?.opened === true && (
        <p className="text-muted text-sm">{opened.sealed ? texts.sealedProof : texts.notSealed}</p>
      )}
    </>
  );
}

function Detail({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-muted not-first:mt-1.5 sm:not-first:mt-0">{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
