import { useEffect, useState } from "react";
import { createPortal, flushSync } from "react-dom";
import { formatExactTime } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import { printedFields } from "./printed-fields.ts";
import type { Row } from "./row.ts";
import { fieldsOf } from "./row-view.ts";

/**
 * The printout while a submission is open: that one, and nothing else of the page (app.css hides everything else, even if
 * this stays empty). Its content is there only for the printer: a long one twice would cost memory for nothing.
 */
export function PrintedSubmission({
  row,
  formName,
  isSealedForm,
}: {
  readonly row: Row;
  readonly formName: string;
  readonly isSealedForm: boolean;
}) {
  const isPrinting = useIsPrinting();
  const texts = text.submissions;
  // Not before it is printed: it goes through all that was sent.
  const { fields, left } = printedFields(isPrinting ? (fieldsOf(row) ?? {}) : {});
  return createPortal(
    <article className="hidden text-black print:block" data-print-alone>
      {isPrinting && (
        <>
          <h1 className="mb-1 font-semibold text-2xl">
            <bdi>{formName}</bdi>
          </h1>
          <p className="mb-5">
            {texts.receivedAt} {formatExactTime(row.receivedAt)}
            <br />
            <code translate="no" className="font-mono text-sm">
              {row.id}
            </code>
          </p>
          {row.opened?.opened === true && !row.opened.sealed && (
            <p className="mb-5 font-semibold">
              {isSealedForm ? `${texts.reasons.not_sealed}. ${texts.reasonHints.not_sealed}` : texts.notSealed}
            </p>
          )}
          {row.opened?.opened !== true && (
            <p>{row.opened === undefined ? texts.waiting : texts.reasons[row.opened.reason]}</p>
          )}
          <dl>
            {fields.map(({ name, value, isCut }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: shortened names may repeat, and the list never changes
              <div className="mb-4" key={index}>
                <dt className="break-after-avoid font-semibold">
                  <bdi>{name}</bdi>
                </dt>
                <dd className="whitespace-pre-wrap" dir="auto">
                  {value || texts.emptyValue}
                  {isCut && <em className="block">{texts.notPrintedWhole}</em>}
                </dd>
              </div>
            ))}
          </dl>
          {left > 0 && <p className="font-semibold">{texts.notPrinted(left)}</p>}
        </>
      )}
    </article>,
    document.body,
  );
}

/** Rendered at once when printing begins: the browser lays the pages out before anything that was put off comes to run. */
function useIsPrinting(): boolean {
  const [isPrinting, setIsPrinting] = useState(false);
  useEffect(() => {
    const media = window.matchMedia("print");
    const follow = () => flushSync(() => setIsPrinting(media.matches));
    const begin = () => flushSync(() => setIsPrinting(true));
    const end = () => setIsPrinting(media.matches);
    media.addEventListener("change", follow);
    window.addEventListener("beforeprint", begin);
    window.addEventListener("afterprint", end);
    return () => {
      media.removeEventListener("change", follow);
      window.removeEventListener("beforeprint", begin);
      window.removeEventListener("afterprint", end);
    };
  }, []);
  return isPrinting;
}
