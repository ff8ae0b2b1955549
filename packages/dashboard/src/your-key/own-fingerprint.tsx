import { type PublicHalves, recipientFingerprint } from "@sealpost/envelope";
import { useQuery } from "@tanstack/react-query";
import { text } from "../texts/text.ts";
import { Section } from "../ui/page.tsx";

const { fingerprint: texts } = text.personalKey;

/** The fingerprint that others see where they confirm this key, to be read to them. From the key that is open, not from the server's word. */
export function OwnFingerprint({ halves }: { readonly halves: PublicHalves }) {
  const { data } = useQuery({
    queryKey: ["own-fingerprint", halves.recipient],
    queryFn: () => recipientFingerprint(halves),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Section intro={texts.intro} title={texts.title}>
      <code className="wrap-anywhere font-mono" translate="no">
        {data}
      </code>
    </Section>
  );
}
