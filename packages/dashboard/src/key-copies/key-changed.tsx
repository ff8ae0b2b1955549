import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";

const { personalKeyReplaced } = text;

const texts = personalKeyReplaced.changed;

/** The server names another key than this browser has seen: only its person knows whether that is right. */
export function KeyChanged({ isFormer, onAccept }: { readonly isFormer: boolean; readonly onAccept: () => void }) {
  return (
    <Notice
      action={
        <Button onClick={onAccept} small>
          {texts.accept}
        </Button>
      }
      role="alert"
      title={isFormer ? texts.formerTitle : texts.title}
      tone="danger"
    >
      {isFormer ? texts.formerHint : texts.hint}
    </Notice>
  );
}
