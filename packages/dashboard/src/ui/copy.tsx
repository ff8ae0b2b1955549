import { useContext, useEffect, useState } from "react";
import { text } from "../texts/text.ts";
import { Button, type ButtonLook } from "./button.tsx";
import { CheckIcon, CopyIcon } from "./icons.tsx";
import { MarkKept } from "./mark-kept.ts";

/** Copies `value`, which a function makes when it is wanted, and says whether that worked. */
export function CopyButton({
  value,
  label = text.common.copy,
  small = true,
  look,
  onCopied,
}: {
  readonly value: string | (() => string);
  readonly label?: string;
  readonly small?: boolean;
  readonly look?: ButtonLook;
  readonly onCopied?: () => void;
}) {
  const [state, setState] = useState<"idle" | "copied" | "failed">("idle");
  const markKept = useContext(MarkKept);
  useEffect(() => {
    if (state === "idle") return;
    const timer = setTimeout(() => setState("idle"), 2_500);
    return () => clearTimeout(timer);
  }, [state]);
  return (
    <>
      <Button
        icon={state === "copied" ? <CheckIcon /> : <CopyIcon />}
        look={look ?? "secondary"}
        onClick={() =>
          navigator.clipboard.writeText(typeof value === "string" ? value : value()).then(
            () => {
              setState("copied");
              markKept?.();
              onCopied?.();
            },
            () => setState("failed"),
          )
        }
        small={small}
      >
        {state === "copied" ? text.common.copied : label}
      </Button>
      <span className={state === "failed" ? "text-danger text-sm" : "sr-only"} role="status">
        {state === "copied" ? text.common.copied : state === "failed" ? text.common.copyFailed : ""}
      </span>
    </>
  );
}

/** Code to take elsewhere: scrolls in itself, can be reached and copied by keyboard. */
export function CodeBlock({
  code,
  label,
  wrap = false,
  name = label,
}: {
  readonly code: string;
  readonly label: string;
  readonly wrap?: boolean;
  /** The name of the code, where the label alone does not distinguish it from others on the page. */
  readonly name?: string;
}) {
  const scrolling = wrap ? "max-h-72 overflow-y-auto" : "overflow-x-auto";
  return (
    <figure className="overflow-hidden rounded-lg border border-line bg-sunken">
      <figcaption className="flex items-center justify-between gap-2 border-line border-b px-3 py-1.5">
        <span className="font-medium text-muted text-sm">{label}</span>
        <CopyButton look="quiet" value={code} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section aria-label={name} className={`focus-visible:-outline-offset-2 ${scrolling}`} tabIndex={0}>
        <pre
          translate="no"
          className={`p-3 font-mono text-[0.8125rem] leading-relaxed ${wrap ? "whitespace-pre-wrap break-all" : ""}`}
        >
          <code translate="no">{code}</code>
        </pre>
      </section>
    </figure>
  );
}
