import { text } from "../texts/text.ts";
import { Notice } from "../ui/notice.tsx";

const { accountLife: texts } = text;

/** Above every page of owners in the days after the server was restored: where there is no mail server, nothing else says it. */
export default function HeldBackBanner({ until }: { readonly until: number }) {
  return (
    <section aria-label={texts.restored} className="mx-auto w-full max-w-6xl px-4 pt-4 pb-3 sm:px-6 sm:pb-0">
      <Notice title={texts.restored} tone="warning">
        {texts.restoredHint(until)}
      </Notice>
    </section>
  );
}
