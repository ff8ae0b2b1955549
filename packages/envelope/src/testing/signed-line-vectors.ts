import { encodeBase64, extensionsBytesMax } from "@sealpost/wire";
import { type ExtensionCase, extensionCases, withExtensions } from "../../../wire/src/testing/extension-cases.ts";
import type { ListReason } from "../refusal.ts";
import { createList, signingKey } from "./list-maker.ts";
import { organizationId } from "./people.ts";

/** One entry of vectors/signed-lines.json: a list of one entry, by its founder, with the extensions that are named where a line alone is tried. */
export interface SignedLineVector extends Partial<Pick<ExtensionCase, "extensions" | "critical">> {
  readonly name: string;
  readonly organizationId: string;
  readonly trust: { readonly signingKey: string };
  readonly list: string;
  /** The bytes, where these are not UTF-8. */
  readonly listBase64?: string;
  readonly outcome: "verified" | ListReason;
}

export async function signedLineVectors(): Promise<readonly SignedLineVector[]> {
  const expected = { organizationId, trust: await signingKey("owner") };
  const spell = (change: (line: string) => string) => createList([{ of: "owner", by: "owner", spell: change }]);
  const honest = await spell((line) => line);
  const cut = new TextEncoder().encode(honest);
  const [line = "", signatureLine = ""] = honest.split("\n");
  const lines: Readonly<Record<string, string>> = {
    "CR before LF": honest.replace("\n", "\r\n"),
    "no last LF": honest.slice(0, -1),
    "a byte order mark": `\ufeff${honest}`,
    "an empty line between": `${line}\n\n${signatureLine}\n`,
    "a signature line of other members": honest.replace('{"signature"', '{"a":1,"signature"'),
    "a signature with other bits at its end": honest.replace(/.("\}\n)$/, (end) => `${nextLetter(end)}${end.slice(1)}`),
    "without extensions": await spell((text) => text.replace(',"extensions":{}', "")),
    "without critical": await spell((text) => text.replace(',"critical":[]', "")),
    "neither of them": await spell((text) => text.replace(',"extensions":{},"critical":[]', "")),
    "the two in another order": await spell((text) =>
      text.replace('"extensions":{},"critical":[]', '"critical":[],"extensions":{}'),
    ),
    "a member after them": await spell((text) => text.replace('"critical":[]', '"critical":[],"more":1')),
    "extensions of a member": await spell((text) => text.replace('"signingKey":', '"extensions":{},"signingKey":')),
    "a number as an exponent": await spell((text) => text.replace('"number":1', '"number":1e0')),
    "the year 0": await spell((text) => text.replace('"2026-11-22T', '"0000-11-22T')),
    "second 60": await spell((text) => text.replace("08:00:00Z", "08:00:60Z")),
    "hour 24": await spell((text) => text.replace("T08:00:00Z", "T24:00:00Z")),
  };
  return [
    { name: "line: honest", ...expected, list: honest, outcome: "verified" },
    {
      name: "line: the year 1",
      ...expected,
      list: await spell((text) => text.replace('"2026-', '"0001-')),
      outcome: "verified",
    },
    {
      name: "line: half a character at its end",
      ...expected,
      list: "",
      listBase64: encodeBase64(cut.with(cut.indexOf(0x0a) - 3, 0xc3)),
      outcome: "malformed",
    },
    ...Object.entries(lines).map(([name, list]) => ({
      name: `line: ${name}`,
      ...expected,
      list,
      outcome: "malformed" as const,
    })),
    ...(await Promise.all(
      extensionCases(extensionsBytesMax).map(async ({ name, outcome, ...texts }) => ({
        ...{ name, ...expected, list: await spell((text) => withExtensions(text, texts)) },
        ...{ outcome: outcome === "taken" ? ("verified" as const) : outcome, ...texts },
      })),
    )),
  ];
}

/** Another letter whose unused bits are not zero. */
function nextLetter(end: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return alphabet[alphabet.indexOf(end.slice(0, 1)) + 1] ?? "B";
}
