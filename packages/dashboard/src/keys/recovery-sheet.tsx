import { formatDateTime } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import { Mark } from "../ui/icons.tsx";
import type { NewKey } from "./new-key.ts";

/** The key on paper. Only there when the page is printed. */
export function RecoverySheet({ newKey, formName }: { readonly newKey: NewKey; readonly formName: string }) {
  const { sheet } = text.keys;
  return (
    <div className="hidden text-black print:block">
      <div className="mb-4 flex items-center gap-3">
        <Mark />
        <p className="font-semibold text-2xl">{sheet.title}</p>
      </div>
      <p>{sheet.intro}</p>
      <dl className="my-4 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
        <dt>{sheet.form}</dt>
        <dd className="font-semibold">
          <bdi>{formName}</bdi>
        </dd>
        <dt>{sheet.version}</dt>
        <dd>{newKey.keyVersion}</dd>
        <dt>{sheet.created}</dt>
        <dd>{formatDateTime(newKey.createdAt)}</dd>
        <dt>{sheet.fingerprint}</dt>
        <dd className="font-mono">{newKey.fingerprint}</dd>
      </dl>
      <p className="mb-2">{sheet.how}</p>
      <pre className="whitespace-pre-wrap break-all border border-black p-3 font-mono text-[9pt] leading-snug">
        {newKey.text}
      </pre>
    </div>
  );
}
