import { useContext } from "react";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { CodeBlock } from "../ui/copy.tsx";
import { MarkKept } from "../ui/mark-kept.ts";
import { QrCode } from "../ui/qr-code.tsx";
import { ShownOnce } from "../ui/shown-once.tsx";

const { admissions: texts } = text;

/** A link that its maker gives to somebody by hand: to copy, to share, or to scan. */
export function LinkToPassOn(link: { readonly url: string; readonly hint: string }) {
  return (
    <ShownOnce leave={texts.leaveLink}>
      <Link {...link} />
    </ShownOnce>
  );
}

function Link({ url, hint }: { readonly url: string; readonly hint: string }) {
  const markKept = useContext(MarkKept);
  return (
    <>
      <CodeBlock code={url} label={texts.link} wrap />
      <p className="text-muted text-sm">{hint}</p>
      {"share" in navigator && (
        <div>
          <Button onClick={() => void navigator.share({ url }).then(markKept, () => undefined)}>{texts.share}</Button>
        </div>
      )}
      {/* Scanned from here, it is in other hands. */}
      <details onToggle={markKept}>
        <summary className="cursor-pointer py-3 font-medium text-sm">{texts.showQr}</summary>
        <QrCode className="mt-2 size-64 max-w-full" content={url} label={texts.qr} />
      </details>
    </>
  );
}
