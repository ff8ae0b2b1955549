import type { Parts } from "@sealpost/texts";

type First = Omit<Parts["dashboardFirst"], "formats">;

/**
 * Every text of the dashboard, in the reader's language. `load-texts.ts` fills it before anything that shows a text is evaluated, so
 * modules may take texts out of it when they load. A change of language loads the page again.
 */
export const text = {} as First & Parts["dashboardLater"] & Pick<Parts["errors"], "deliveryErrors">; // filled before it is read

/** Choices of a control: each value with its name. */
export function entriesOf<Value extends string>(names: Readonly<Record<Value, string>>): (readonly [Value, string])[] {
  return Object.entries(names) as [Value, string][]; // its own members, in their order
}

/** The text for a code that comes from elsewhere, such as the API's; a newer service may have codes that this app does not know. */
export function findText(texts: Readonly<Record<string, string>>, code: string): string | undefined {
  return Object.hasOwn(texts, code) ? texts[code] : undefined;
}

/** A sentence for what went wrong, and what to do about it. */
export type RefusalText = (typeof text.listRefusals)["forked"] & {
  /** The hint for people who may not rotate keys. */
  readonly hintOthers?: string;
};
