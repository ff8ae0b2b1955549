import { useSession } from "../session/session.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { download } from "../ui/download.ts";
import { DownloadIcon } from "../ui/icons.tsx";
import { Notice } from "../ui/notice.tsx";

/** The codes, this once, with ways to keep them. */
export function BackupCodes({ codes }: { readonly codes: readonly string[] }) {
  const { user } = useSession();
  const texts = text.secondFactor;
  return (
    <>
      <Notice tone="warning">{texts.codesIntro}</Notice>
      <ul
        aria-label={texts.codesLabel}
        className="grid grid-cols-2 gap-x-6 gap-y-1 rounded-lg border border-line bg-sunken p-4 font-mono text-sm"
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
