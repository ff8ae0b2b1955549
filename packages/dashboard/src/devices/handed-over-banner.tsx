import { text } from "../texts/text.ts";
import { Notice } from "../ui/notice.tsx";
import { DeviceCode } from "./device-code.tsx";
import type { HandedOver } from "./handed-over.ts";

const { handedOver } = text.devices;

/** Above every page: whose key it is, to look at once more, and what the other device had no room for. */
export default function HandedOverBanner({ code, leftOut }: HandedOver) {
  return (
    <section
      aria-label={handedOver.label}
      className="mx-auto grid w-full max-w-6xl gap-3 px-4 pt-4 pb-3 sm:px-6 sm:pb-0"
    >
      {code !== undefined && (
        <Notice role="status" title={handedOver.codeTitle} tone="good">
          <DeviceCode code={code} />
          {handedOver.codeHint}
        </Notice>
      )}
      {leftOut !== undefined && (
        <Notice role="status" title={handedOver.leftOutTitle} tone="warning">
          {handedOver.leftOut(leftOut)}
        </Notice>
      )}
    </section>
  );
}
