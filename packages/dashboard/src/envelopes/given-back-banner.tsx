import { text } from "../texts/text.ts";
import { Notice } from "../ui/notice.tsx";

const { givenBack } = text.envelopes;

/** Above every page: the server had lost entries of the list of members, and this browser has given them back. */
export default function GivenBackBanner({ count }: { readonly count: number }) {
  return (
    <section aria-label={givenBack.title(count)} className="mx-auto w-full max-w-6xl px-4 pt-4 pb-3 sm:px-6 sm:pb-0">
      <Notice role="status" title={givenBack.title(count)} tone="warning">
        {givenBack.hint}
      </Notice>
    </section>
  );
}
