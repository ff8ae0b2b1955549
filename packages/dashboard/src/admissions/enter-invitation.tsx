import { splitWords } from "@sealpost/envelope";
import { FieldsForm } from "../form-kit/fields-form.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { pages } from "../pages.ts";
import { ScanButton } from "../scanner/scan-button.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { DropZone } from "../ui/drop-zone.tsx";
import { TextField } from "../ui/field.tsx";
import { Section } from "../ui/page.tsx";

const { admissions } = text;

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
  const fields = useFields({
    initial: { words: "" },
    send: ({ words: typed }) => {
      if (typed.includes(pages.join.path)) takeLink(typed, texts.cutLink);
      else onInvited({ words: splitWords(typed) });
    },
  });

  /** `noLink`: what to say of a text without one. */
  function takeLink(given: string, noLink: string): void {
    const link = findLink(given);
    const isOther = link !== undefined && link.origin !== window.location.origin;
    fields.say("words", link === undefined ? noLink : isOther ? texts.otherServer(link.host) : undefined);
    if (link !== undefined && !isOther) onInvited({ fragment: link.hash.slice(1) });
  }

  async function takePhoto(file: File | undefined): Promise<void> {
    const { readPicture } = await import("../scanner/read-picture.ts");
    if (file === undefined) return;
    const reading = await readPicture(file);
    if ("content" in reading) takeLink(reading.content, texts.noCode);
    else fields.say("words", reading.refused === "no_code" ? texts.noCode : text.keys.pictures[reading.refused]);
  }

  return (
    <Section intro={texts.enterIntro} title={texts.enter}>
      <div className="grid gap-4">
        <FieldsForm fields={fields}>
          <TextField
            {...fields.text("words")}
            autoCapitalize="none"
            autoComplete="off"
            autoCorrect="off"
            hint={texts.wordsHint}
            label={texts.words}
            maxLength={500}
            required
            spellCheck={false}
          />
          <div className="flex flex-wrap gap-2">
            <Button look="primary" pending={isPending} type="submit">
              {texts.check}
            </Button>
            <ScanButton onScanned={(content) => takeLink(content, texts.noCode)} title={texts.scan}>
              {texts.scan}
            </ScanButton>
          </div>
        </FieldsForm>
        <DropZone label={texts.photo} look="secondary" onFiles={([file]) => takePhoto(file)} />
      </div>
    </Section>
  );
}

/** The link in a text, which may be the whole message that it came with. */
function findLink(given: string): URL | undefined {
  const mark = given.indexOf("/join#");
  const start = given.slice(0, Math.max(mark, 0)).lastIndexOf("http");
  if (start === -1) return undefined;
  const [rest = ""] = /^[\w.-]+/.exec(given.slice(mark + "/join#".length)) ?? [];
  return URL.parse(`${given.slice(start, mark)}${pages.join.path}#${rest}`) ?? undefined;
}
