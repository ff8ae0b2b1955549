import type { RecoverySheet } from "@sealpost/envelope";
import { useSession } from "../session/session.ts";
import { text } from "../texts/text.ts";
import { Mark } from "../ui/icons.tsx";
import { QrCode } from "../ui/qr-code.tsx";

const { personalKey } = text;

const texts = personalKey.sheet;

/** A person's sheet on paper: a code for a camera, and four lines for hands. Only there when the page is printed. */
export function PrintedSheet({ sheet, name }: { readonly sheet: RecoverySheet; readonly name: string }) {
  const { user } = useSession();
  return (
    <div className="hidden text-black print:block">
      <div className="mb-3 flex items-center gap-3">
        <Mark />
        <h1 className="font-semibold text-2xl">{texts.title}</h1>
      </div>
      <p>{texts.intro}</p>
      <div className="my-4 flex flex-wrap items-start justify-between gap-6">
        <dl className="grid min-w-0 grow basis-72 grid-cols-[auto_1fr] gap-x-4 gap-y-1">
          <dt>{texts.person}</dt>
          <dd className="font-semibold">
            <bdi className="wrap-anywhere">{user.name === "" ? user.email : `${user.name}, ${user.email}`}</bdi>
          </dd>
          <dt>{texts.server}</dt>
          <dd className="break-all" translate="no">
            {window.location.host}
          </dd>
          <dt>{texts.name}</dt>
          <dd>{name}</dd>
        </dl>
        <QrCode className="size-64 shrink-0" content={sheet.code} label={texts.code} />
      </div>
      <p className="mb-2">{texts.how}</p>
      <SheetLines className="text-lg" lines={sheet.lines} />
    </div>
  );
}

/** The four lines, numbered. */
export function SheetLines({
  lines,
  className = "",
}: {
  readonly lines: readonly string[];
  readonly className?: string;
}) {
  return (
    <ol
      className={`grid list-inside list-decimal gap-1 rounded-lg border border-line-strong p-3 font-mono leading-relaxed ${className}`}
      data-testid="sheet-lines"
      translate="no"
    >
      {lines.map((line) => (
        <li className="break-inside-avoid whitespace-pre" key={line}>
          {line}
        </li>
      ))}
    </ol>
  );
}
