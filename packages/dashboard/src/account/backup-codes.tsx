import type { ReactNode } from "react";
import { download } from "../browser/download.ts";
import { useSession } from "../session/session.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { DownloadIcon } from "../ui/icons.tsx";
import { Notice } from "../ui/notice.tsx";

/** The codes, this once and before they count, with ways to keep them. */
export function BackupCodes({
  codes,
  hint,
  isPending = false,
  onClose,
  onKept,
  children,
}: {
  readonly codes: readonly string[];
  /** Says when they begin to count. */
  readonly hint: string;
  readonly isPending?: boolean;
  readonly onClose: () => void;
  readonly onKept: () => void;
  readonly children?: ReactNode;
}) {
  const texts = text.secondFactor;
  return (
    <Dialog
      beginsAtTitle
      footer={
        <>
          <Button onClick={onClose}>{text.common.cancel}</Button>
          <Button look="primary" onClick={onKept} pending={isPending}>
            {texts.codesKept}
          </Button>
        </>
      }
      onClose={onClose}
      title={texts.codesTitle}
    >
      {children}
      <Notice tone="warning">
        {texts.codesIntro} {hint}
      </Notice>
      <Codes codes={codes} />
    </Dialog>
  );
}

function Codes({ codes }: { readonly codes: readonly string[] }) {
  const { user } = useSession();
  const texts = text.secondFactor;
  return (
    <>
      <ul
        aria-label={texts.codesLabel}
        className="grid grid-cols-2 gap-x-6 gap-y-1 rounded-lg border border-line bg-sunken p-4 font-mono text-sm"
        translate="no"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          icon={<DownloadIcon />}
          onClick={() =>
            download(
              texts.codesFile,
              `${texts.codesFileHead(user.email, window.location.origin)}\n${codes.join("\n")}\n`,
            )
          }
        >
          {texts.codesDownload}
        </Button>
        <CopyButton small={false} value={codes.join("\n")} />
      </div>
    </>
  );
}
