import { cleanFileName } from "@sealpost/sdk";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { describeError } from "../api/describe-error.ts";
import { readPicture } from "../scanner/read-picture.ts";
import { ScanButton } from "../scanner/scan-button.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { DropZone } from "../ui/drop-zone.tsx";
import { PasswordField, TextArea } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import type { Reading } from "./read-key.ts";

/** A chosen file: its bytes, or of a picture the text of its QR code, or why it has none. */
async function readSource(file: File): Promise<KeySource | UnreadSource> {
  // It is shown before sentences of ours, whose direction it could turn.
  const name = cleanFileName(file.name);
  if (!file.type.startsWith("image/") && file.type !== "application/pdf")
    return { name, bytes: new Uint8Array(await file.slice(0, fileBytesMax).arrayBuffer()) };
  const reading = await readPicture(file);
  return "content" in reading
    ? { name, bytes: new TextEncoder().encode(reading.content) }
    : { name, refusal: text.keys.pictures[reading.refused] };
}

/** More than a form has versions. */
const filesMax = 100;

/** More than anything that is read here has. */
const fileBytesMax = 500_000;

interface KeySource {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Of the file; what was pasted has none. */
  readonly name?: string;
}

interface UnreadSource {
  readonly name: string;
  readonly refusal: string;
}

/** The files read so far, while a passphrase is asked for. */
interface Paused<Found> {
  readonly found: readonly Found[];
  /** The one that the passphrase is asked for, and those after it. */
  readonly rest: readonly (KeySource | UnreadSource)[];
  readonly isWrong: boolean;
}

/**
 * Takes private keys as files (chosen or dropped), pasted, typed or scanned, and asks for the passphrase where there is one.
 * `read` says what each is. `onKeys` gets all of them at once, with the sentences on those that were no keys, and may refuse them.
 */
export function KeyPicker<Found>({
  read,
  onKeys,
  pasteHint = text.keys.pasteHint,
  extra,
}: {
  readonly read: (
    bytes: Uint8Array<ArrayBuffer>,
    passphrase: string | undefined,
    /** Of the file; what was pasted has none. */
    name: string | undefined,
  ) => Promise<Reading<Found>>;
  readonly onKeys: (found: readonly Found[], refusals: readonly string[]) => Promise<string | undefined>;
  readonly pasteHint?: string;
  /** Shown below the ways to bring a key. */
  readonly extra?: ReactNode;
}) {
  const [isPasting, setIsPasting] = useState(false);
  const [isWorking, setIsWorking] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  /** Then it is refused at its field: the top of this may be out of sight while a phone's keyboard is open. */
  const [isTyped, setIsTyped] = useState(false);
  const [waiting, setWaiting] = useState<Paused<Found>>();

  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (refusal) place.current?.querySelector("[role=alert]")?.scrollIntoView({ block: "nearest" });
  }, [refusal]);

  /** Reads one after the other, up to one whose passphrase is not known. The passphrase may open more than one. */
  async function take(
    sources: readonly (KeySource | UnreadSource)[],
    before: readonly Found[] = [],
    passphrase?: string,
  ) {
    setIsWorking(true);
    setRefusal(undefined);
    setIsTyped(isPasting && sources.every(({ name }) => name === undefined));
    const found = [...before];
    const refusals: string[] = [];
    try {
      for (const [index, source] of sources.entries()) {
        const { name } = source;
        const reading =
          "refusal" in source
            ? ({ kind: "refused", message: source.refusal } as const)
            : await read(source.bytes, passphrase, name);
        if (reading.kind === "passphrase_needed") {
          // The passphrase of one file before it is not a wrong one for this.
          setWaiting({ found, rest: sources.slice(index), isWrong: reading.isWrong && index === 0 });
          return;
        }
        if (reading.kind === "found") found.push(reading.found);
        else
          refusals.push(name === undefined || sources.length === 1 ? reading.message : `${name}: ${reading.message}`);
      }
      setWaiting(undefined);
      const refused = found.length === 0 ? refusals.join(". ") : await onKeys(found, refusals);
      setRefusal(refused);
      // Secrets do not stay on the screen once they are taken.
      if (refused === undefined) setIsPasting(false);
    } catch (error) {
      // The program that opens protected files did not arrive, for example.
      const { title, hint = "" } = describeError(error);
      setRefusal(`${title}. ${hint}`);
    } finally {
      setIsWorking(false);
    }
  }

  async function takeFiles(files: readonly File[]): Promise<void> {
    await take(await Promise.all(files.slice(0, filesMax).map(readSource)));
  }

  return (
    <div className="grid gap-4" ref={place}>
      {refusal && !isTyped && (
        <Notice role="alert" tone="danger">
          <bdi>{refusal}</bdi>
        </Notice>
      )}
      {waiting ? (
        <form
          className="grid gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            // The passphrase is read here and kept nowhere.
            void take(waiting.rest, waiting.found, String(new FormData(event.currentTarget).get("passphrase")));
          }}
        >
          <PasswordField
            autoComplete="off"
            autoFocus
            error={waiting.isWrong && !isWorking ? text.keys.passphraseWrong : undefined}
            hint={<bdi>{text.keys.passphraseTitle(waiting.rest[0]?.name)}</bdi>}
            label={text.keys.passphrase}
            name="passphrase"
            required
          />
          <div className="flex gap-2">
            <Button look="primary" pending={isWorking} type="submit">
              {text.keys.passphraseUse}
            </Button>
            <Button look="quiet" onClick={() => setWaiting(undefined)}>
              {text.common.cancel}
            </Button>
          </div>
        </form>
      ) : (
        <>
          <DropZone label={text.keys.choose} onFiles={takeFiles} pending={isWorking && !isPasting} />
          {isPasting && (
            <form
              className="grid gap-3"
              onSubmit={(event) => {
                event.preventDefault();
                const pasted = String(new FormData(event.currentTarget).get("key"));
                void take([{ bytes: new TextEncoder().encode(pasted) }]);
              }}
            >
              <TextArea
                autoCapitalize="characters"
                autoComplete="off"
                autoCorrect="off"
                autoFocus
                className="min-h-28 font-mono text-sm max-sm:min-h-56"
                error={isTyped ? refusal : undefined}
                hint={pasteHint}
                label={text.keys.pasteLabel}
                name="key"
                required
                spellCheck={false}
              />
              <div>
                <Button pending={isWorking} type="submit">
                  {text.keys.usePasted}
                </Button>
              </div>
            </form>
          )}
          <div className="flex flex-wrap gap-2 empty:hidden">
            {!isPasting && (
              <Button onClick={() => setIsPasting(true)} small>
                {text.keys.paste}
              </Button>
            )}
            <ScanButton onScanned={(content) => void take([{ bytes: new TextEncoder().encode(content) }])} small>
              {text.keys.scan}
            </ScanButton>
          </div>
          {extra}
        </>
      )}
      <p className="sr-only" role="status">
        {isWorking ? text.keys.working : ""}
      </p>
    </div>
  );
}
