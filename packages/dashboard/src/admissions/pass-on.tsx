import { QrCode } from "../account/qr-code.tsx";
import { admissions as texts } from "../texts/english/admissions.ts";
import { Button } from "../ui/button.tsx";
import { CodeBlock } from "../ui/copy.tsx";

/** A link that its maker gives to somebody by hand: to copy, to share, or to scan. */
export function LinkToPassOn({ url, hint }: { readonly url: string; readonly hint: string }) {
  return (
    <>
      <CodeBlock code={url} label={texts.link} wrap />
      <p className="text-muted text-sm">{hint}</p>
      {"share" in navigator && (
        <div>
          <Button onClick={() => void navigator.share({ url }).catch(() => undefined)}>{texts.share}</Button>
        </div>
      )}
      <details>
        <summary className="cursor-pointer py-3 font-medium text-sm">{texts.showQr}</summary>
        <QrCode className="mt-2 size-64 max-w-full" content={url} label={texts.qr} />
      </details>
    </>
  );
}
