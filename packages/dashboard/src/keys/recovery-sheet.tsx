import { type KeyFile, type PaperKey, toPaperKey } from "@sealpost/sdk";
import { useEffect, useState } from "react";
import { formatDateTime } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import { Mark } from "../ui/icons.tsx";
import { QrCode } from "../ui/qr-code.tsx";
import type { NewKey } from "./new-key.ts";

/** The key on paper: a code for a camera, and short lines for hands. Only there when the page is printed. */
export function RecoverySheet({ newKey, formName }: { readonly newKey: NewKey; readonly formName: string }) {
  const { sheet } = text.keys;
  const paper = usePaperKey(newKey);
  const { hybrid } = newKey;
  return (
    <div className="hidden text-black print:block">
      <div className="mb-3 flex items-center gap-3">
        <Mark />
        <h1 className="font-semibold text-2xl">{sheet.title}</h1>
      </div>
      <p>{sheet.intro}</p>
      <div className="my-4 flex flex-wrap items-start justify-between gap-6">
        <dl className="grid min-w-0 grow basis-72 grid-cols-[auto_1fr] gap-x-4 gap-y-1">
          <dt>{sheet.form}</dt>
          <dd className="font-semibold">
            <bdi>{formName}</bdi>
          </dd>
          <dt>{sheet.version}</dt>
          <dd>{newKey.keyVersion}</dd>
          <dt>{sheet.created}</dt>
          <dd>{formatDateTime(newKey.createdAt)}</dd>
          <dt>{sheet.fingerprint}</dt>
          <dd className="break-all font-mono" translate="no">
            {newKey.fingerprint}
          </dd>
          {hybrid !== undefined && (
            <>
              <dt>{sheet.hybridFingerprint}</dt>
              <dd className="break-all font-mono" translate="no">
                {hybrid.fingerprint}
              </dd>
            </>
          )}
        </dl>
        {paper && <QrCode className="size-64 shrink-0" content={paper.code} label={sheet.code} />}
      </div>
      <p className="mb-2">{sheet.how}</p>
      <ol
        className="border border-black p-3 font-mono text-[min(10.5pt,2.4vw)] leading-relaxed"
        data-testid="paper-key"
        translate="no"
      >
        {paper?.lines.map((line) => (
          <li className="break-inside-avoid whitespace-pre" key={line}>
            {line}
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Made of the key's file, which is its only copy. */
function usePaperKey({ text: file }: NewKey): PaperKey | undefined {
  const [paper, setPaper] = useState<PaperKey>();
  useEffect(() => {
    let isWanted = true;
    const { privateKey, hybridPrivateKey, seed } = JSON.parse(file) as KeyFile; // made by `makeKey`
    void toPaperKey(privateKey, hybridPrivateKey, seed).then((made) => {
      if (isWanted) setPaper(made);
    });
    return () => {
      isWanted = false;
    };
  }, [file]);
  return paper;
}
