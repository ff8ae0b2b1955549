import { lazy, Suspense, useState } from "react";
import { splitWords } from "../personal-key/passphrase.ts";
import { admissions } from "../texts/english/admissions.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { DropZone } from "../ui/drop-zone.tsx";
import { TextField } from "../ui/field.tsx";
import { Section } from "../ui/page.tsx";

/** Loaded when somebody asks for it: reading codes is a program of its own. */
const ScanKey = lazy(() => import("../keys/scan-key.tsx"));

const texts = admissions.join;

/** Six words that were read out, or what follows the # of a link. */
export type Invited = { readonly words: readonly string[] } | { readonly fragment: string };

/** For who opened no link: takes the words that somebody read to them, a code by camera or from a photo, or the link as text. */
export function EnterInvitation({
  isPending,
  onInvited,
}: {
  readonly isPending: boolean;
  readonly onInvited: (invited: Invited) => void;
}) {
  const [error, setError] = useState<string>();
  const [isScanning, setIsScanning] = useState(false);

  function takeLink(typed = ""): void {
    const refusal = findLinkError(typed);
    setError(refusal);
    if (refusal === undefined) onInvited({ fragment: new URL(typed.trim()).hash.slice(1) });
  }

  return (
    <Section intro={texts.enterIntro} title={texts.enter}>
      <div className="grid gap-4">
        <form
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            const typed = String(new FormData(event.currentTarget).get("words"));
            if (typed.includes("/join#")) takeLink(typed);
            else onInvited({ words: splitWords(typed) });
          }}
        >
          <TextField
            autoCapitalize="none"
            autoComplete="off"
            autoCorrect="off"
            error={error}
            hint={texts.wordsHint}
            label={texts.words}
            maxLength={500}
            name="words"
            onChange={() => setError(undefined)}
            required
            spellCheck={false}
          />
          <div className="flex flex-wrap gap-2">
            <Button look="primary" pending={isPending} type="submit">
              {texts.check}
            </Button>
            {"mediaDevices" in navigator && <Button onClick={() => setIsScanning(true)}>{texts.scan}</Button>}
          </div>
        </form>
        <DropZone
          label={texts.photo}
          look="secondary"
          onFiles={async ([file]) => {
            const { readPicture } = await import("../keys/read-picture.ts");
            if (file === undefined) return;
            const reading = await readPicture(file);
            if ("content" in reading) takeLink(reading.content);
            else setError(reading.refused === "no_code" ? texts.noCode : text.keys.pictures[reading.refused]);
          }}
        />
      </div>
      {isScanning && (
        <Suspense>
          <ScanKey
            onClose={() => setIsScanning(false)}
            onScanned={(content) => {
              setIsScanning(false);
              takeLink(content);
            }}
            title={texts.scan}
          />
        </Suspense>
      )}
    </Section>
  );
}

/** Why this is no link of this server that brings somebody in. */
function findLinkError(typed: string): string | undefined {
  const url = URL.parse(typed.trim());
  if (url === null || url.pathname !== "/join" || url.hash.length < 2) return texts.noCode;
  return url.origin === window.location.origin ? undefined : texts.otherServer(url.host);
}
