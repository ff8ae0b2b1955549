import { type ReactNode, useRef, useState } from "react";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { PasswordField, TextArea } from "../ui/field.tsx";
import { UploadIcon } from "../ui/icons.tsx";
import { Notice } from "../ui/notice.tsx";
import { type ReadKey, readKey } from "./read-key.ts";

type Found = Extract<ReadKey, { kind: "key" }>;

/**
 * Takes a private key as a file (chosen or dropped) or pasted, and asks for the passphrase where there is one. `onKey` may
 * refuse the key with a sentence.
 */
export function KeyPicker({
  onKey,
  extra,
}: {
  readonly onKey: (found: Found) => Promise<string | undefined>;
  /** Shown below the ways to bring a key. */
  readonly extra?: ReactNode;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [isPasting, setIsPasting] = useState(false);
  const [isOver, setIsOver] = useState(false);
  const [isWorking, setIsWorking] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const [waiting, setWaiting] = useState<Extract<ReadKey, { kind: "passphrase_needed" }>>();

  async function take(bytes: Uint8Array<ArrayBuffer>, passphrase?: string): Promise<void> {
    setIsWorking(true);
    setRefusal(undefined);
    try {
      const read = await readKey(bytes, passphrase);
      setWaiting(read.kind === "passphrase_needed" ? read : undefined);
      if (read.kind === "refused") setRefusal(read.message);
      if (read.kind === "key") setRefusal(await onKey(read));
    } finally {
      setIsWorking(false);
    }
  }

  async function takeFile(file: File | undefined): Promise<void> {
    if (file !== undefined) await take(new Uint8Array(await file.slice(0, 100_000).arrayBuffer()));
  }

  return (
    <div className="grid gap-4">
      {refusal && (
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
            void take(waiting.file, String(new FormData(event.currentTarget).get("passphrase")));
          }}
        >
          <PasswordField
            autoComplete="off"
            autoFocus
            error={waiting.isWrong && !isWorking ? text.keys.passphraseWrong : undefined}
            hint={text.keys.passphraseTitle}
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
          {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut for the button inside */}
          <div
            className={`flex flex-wrap items-center justify-center gap-x-3 gap-y-2 rounded-lg border border-dashed px-4 py-6 ${isOver ? "border-accent bg-accent-soft" : "border-line-strong bg-sunken"}`}
            onDragLeave={() => setIsOver(false)}
            onDragOver={(event) => {
              event.preventDefault();
              setIsOver(true);
            }}
            onDrop={(event) => {
              event.preventDefault();
              setIsOver(false);
              void takeFile(event.dataTransfer.files[0]);
            }}
          >
            <Button
              icon={<UploadIcon />}
              look="primary"
              onClick={() => input.current?.click()}
              pending={isWorking && !isPasting}
            >
              {text.keys.choose}
            </Button>
            <span className="text-muted">{text.keys.drop}</span>
            <input
              aria-label={text.keys.choose}
              className="hidden"
              onChange={(event) => {
                void takeFile(event.target.files?.[0]);
                event.target.value = "";
              }}
              ref={input}
              type="file"
            />
          </div>
          {isPasting ? (
            <form
              className="grid gap-3"
              onSubmit={(event) => {
                event.preventDefault();
                const pasted = String(new FormData(event.currentTarget).get("key"));
                void take(new TextEncoder().encode(pasted));
              }}
            >
              <TextArea
                autoComplete="off"
                autoFocus
                className="min-h-28 font-mono text-sm"
                hint={text.keys.pasteHint}
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
          ) : (
            <div>
              <Button className="-ml-2.5" look="quiet" onClick={() => setIsPasting(true)} small>
                {text.keys.paste}
              </Button>
            </div>
          )}
          {extra}
        </>
      )}
      <p className="sr-only" role="status">
        {isWorking ? text.keys.working : ""}
      </p>
    </div>
  );
}
