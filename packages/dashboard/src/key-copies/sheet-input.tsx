import type { SheetKind } from "@sealpost/envelope";
import { FieldsForm } from "../form-kit/fields-form.tsx";
import { PhotoButton } from "../scanner/photo-button.tsx";
import { ScanButton } from "../scanner/scan-button.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { type SheetOptions, useSheetLines } from "./use-sheet-lines.ts";

const texts = text.personalKey.sheetInput;
const ofPerson: Readonly<Record<SheetKind, string>> = {
  personal: texts.foreign,
  organization: texts.organization,
  share: texts.share,
};

/** Takes a recovery sheet by camera, or typed: each line is checked when the next one is begun. `onSheet` may refuse it with a sentence. */
export function SheetInput({
  kind = "personal",
  describeOther = ofPerson,
  action,
  isPending,
  refusal,
  ...taking
}: Partial<SheetOptions> &
  Pick<SheetOptions, "onSheet"> & {
    readonly action: string;
    readonly isPending: boolean;
    /** Why the sheet that was given is not the one that is wanted. */
    readonly refusal: string | undefined;
  }) {
  const { fields, places, notice, isChanged, takeCode, check, change } = useSheetLines({
    kind,
    describeOther,
    ...taking,
  });
  const sentence = notice ?? (isChanged ? undefined : refusal);
  return (
    <div className="grid gap-4">
      {sentence !== undefined && (
        <Notice role="alert" tone="danger">
          {sentence}
        </Notice>
      )}
      <div className="flex flex-wrap gap-2">
        <ScanButton onScanned={takeCode}>{texts.scan}</ScanButton>
        <PhotoButton onRead={takeCode} />
      </div>
      <FieldsForm fields={fields}>
        {places.map((place) => (
          <TextField
            {...fields.text(String(place))}
            autoCapitalize="characters"
            autoComplete="off"
            autoCorrect="off"
            className="max-w-xs font-mono"
            hint={place === 0 ? texts.hint : undefined}
            key={place}
            label={texts.line(place + 1)}
            onBlur={(event) => void check(place, event.target.value)}
            onChange={(event) => change(place, event.target.value)}
            required
            spellCheck={false}
          />
        ))}
        <div>
          <Button look="primary" pending={isPending} type="submit">
            {action}
          </Button>
        </div>
      </FieldsForm>
    </div>
  );
}
