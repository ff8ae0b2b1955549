import { useContext } from "react";
import { download } from "../browser/download.ts";
import { useSession } from "../session/session.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { DownloadIcon } from "../ui/icons.tsx";
import { MarkKept } from "../ui/mark-kept.ts";
import { Notice } from "../ui/notice.tsx";
import { ShownOnce } from "../ui/shown-once.tsx";

/** The codes, this once, with ways to keep them. */
export function BackupCodes({ codes, onClose }: { readonly codes: readonly string[]; readonly onClose: () => void }) {
  const texts = text.secondFactor;
  return (
    <Dialog
      beginsAtTitle
      footer={
        <Button look="primary" onClick={onClose}>
          {texts.codesKept}
        </Button>
      }
      onClose={onClose}
      title={texts.codesTitle}
    >
      <ShownOnce leave={texts.leaveCodes}>
        <Codes codes={codes} />
      </ShownOnce>
    </Dialog>
  );
}

function Codes({ codes }: { readonly codes: readonly string[] }) {
  const markKept = useContext(MarkKept);
  const { user } = useSession();
  const texts = text.secondFactor;
  return (
    <>
      <Notice tone="warning">{texts.codesIntro}</Notice>
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
          onClick={() => {
            download(
              texts.codesFile,
              `${texts.codesFileHead(user.email, window.location.origin)}\n${codes.join("\n")}\n`,
            );
            markKept?.();
          }}
        >
          {texts.codesDownload}
        </Button>
        <CopyButton small={false} value={codes.join("\n")} />
      </div>
    </>
  );
}
