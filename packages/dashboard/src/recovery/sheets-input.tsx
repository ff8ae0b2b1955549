import { joinShares, type RecoveryShare } from "@sealpost/envelope";
import { useState } from "react";
import { SheetInput } from "../key-copies/sheet-input.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { useFocusInstead } from "../ui/use-focus-instead.ts";

const { recovery } = text;

const texts = recovery.input;

type Kind = "organization" | "share";

/** The shares that were taken so far, until they make a key. */
function useShares(onKey: (identity: string) => void) {
  const [shares, setShares] = useState<readonly RecoveryShare[]>([]);
  const [sentence, setSentence] = useState<string>();
  const [said, setSaid] = useState("");

  async function add(share: RecoveryShare): Promise<void> {
    const isKnown = shares.some(({ place, set }) => place === share.place && set === share.set);
    const all = [...shares, share];
    const joined = await joinShares(all);
    setSaid("");
    if ("refused" in joined) return setSentence(texts.refused[joined.refused]);
    if (isKnown) return setSentence(texts.twice(share.place));
    setSentence(undefined);
    setShares(all);
    if ("missing" in joined) setSaid(texts.taken(share.place, joined.missing));
    else onKey(joined.identity);
  }

  function restart(): void {
    setShares([]);
    setSentence(undefined);
    setSaid("");
  }
  return { count: shares.length, sentence, said, add, restart, clear: () => setSentence(undefined) };
}

/** Takes an organization's recovery key from paper: one whole sheet, or as many of several as it takes. `refusal` is about the key as a whole. */
export function SheetsInput({
  kind: known,
  action,
  isPending,
  refusal,
  onKey,
}: {
  /** Where it is known how the key is written. */
  readonly kind?: Kind;
  readonly action: string;
  readonly isPending: boolean;
  readonly refusal: string | undefined;
  readonly onKey: (identity: string) => void;
}) {
  const [chosen, setChosen] = useState<Kind>(known ?? "organization");
  const { count, sentence, said, add, restart, clear } = useShares(onKey);
  // The form that took a sheet is gone, for the next one's.
  const place = useFocusInstead<HTMLDivElement>(said);
  const kind = count > 0 ? "share" : chosen;
  return (
    <div className="grid gap-4 outline-none" ref={place} tabIndex={-1}>
      {known === undefined && count === 0 && (
        <KindChoice
          onChange={(one) => {
            setChosen(one);
            clear();
          }}
          value={chosen}
        />
      )}
      <p className="text-muted empty:absolute" role="status">
        {said}
      </p>
      {sentence !== undefined && (
        <Notice role="alert" tone="danger">
          {sentence}
        </Notice>
      )}
      <SheetInput
        action={kind === "share" ? texts.take : action}
        describeOther={texts.other}
        isPending={isPending}
        key={`${kind} ${count}`}
        kind={kind}
        onShare={(share) => void add(share)}
        onSheet={(identity) => {
          clear();
          onKey(identity);
        }}
        refusal={refusal}
      />
      {count > 0 && (
        <Button className="justify-self-start" look="quiet" onClick={restart}>
          {texts.restart}
        </Button>
      )}
    </div>
  );
}

function KindChoice({ value, onChange }: { readonly value: Kind; readonly onChange: (kind: Kind) => void }) {
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 font-medium">{texts.which}</legend>
      {(["organization", "share"] as const).map((one) => (
        <label className="flex min-h-11 items-center gap-2 sm:min-h-0" key={one}>
          <input checked={value === one} name="sheet-kind" onChange={() => onChange(one)} type="radio" />
          {texts.kinds[one]}
        </label>
      ))}
    </fieldset>
  );
}
