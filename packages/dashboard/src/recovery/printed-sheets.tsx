import { SheetLines } from "../key-copies/printed-sheet.tsx";
import { useMembership } from "../organization/membership.ts";
import { formatDate } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import { Mark } from "../ui/icons.tsx";
import { QrCode } from "../ui/qr-code.tsx";

const { recovery } = text;

const texts = recovery.sheet;

/** A sheet of a recovery key that is to be printed: whole, or one of several. */
export interface SheetToPrint {
  readonly lines: readonly string[];
  readonly code: string;
  readonly share?: { readonly place: number; readonly needed: number; readonly of: number };
}

/** The sheets of an organization's recovery key, each on a page of its own. Only there when the page is printed. */
export function PrintedSheets({ sheets }: { readonly sheets: readonly SheetToPrint[] }) {
  const membership = useMembership();
  return (
    <div className="hidden text-black print:block">
      {sheets.map(({ lines, code, share }) => (
        <section className="break-after-page last:break-after-auto" key={code}>
          <div className="mb-3 flex items-center gap-3">
            <Mark />
            <h1 className="font-semibold text-2xl">
              {share === undefined ? texts.title : texts.shareTitle(share.place, share.of)}
            </h1>
          </div>
          <p>{share === undefined ? texts.intro : texts.shareIntro(share.needed)}</p>
          <div className="my-4 flex flex-wrap items-start justify-between gap-6">
            <dl className="grid min-w-0 grow basis-72 grid-cols-[auto_1fr] gap-x-4 gap-y-1">
              <dt>{texts.organization}</dt>
              <dd className="font-semibold">
                <bdi className="wrap-anywhere">{membership?.name ?? ""}</bdi>
              </dd>
              <dt>{texts.id}</dt>
              <dd className="break-all" translate="no">
                {membership?.id}
              </dd>
              <dt>{texts.server}</dt>
              <dd className="break-all" translate="no">
                {window.location.host}
              </dd>
              <dt>{texts.date}</dt>
              <dd>{formatDate(Date.now())}</dd>
            </dl>
            <QrCode className="size-64 shrink-0" content={code} label={texts.code} />
          </div>
          <p className="mb-2">{texts.how}</p>
          <SheetLines className="text-lg" lines={lines} />
        </section>
      ))}
    </div>
  );
}
