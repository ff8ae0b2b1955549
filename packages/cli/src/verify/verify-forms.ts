import { fingerprint, hybridFingerprint, isHybridPublicKey, isPublicKey } from "@sealpost/wire";
import { createHeaders } from "./browsers.ts";
import type { Findings } from "./findings.ts";
import { findTrouble, type Witness } from "./verify-files.ts";

/** A form, with the fingerprints of all keys that it may offer. */
export interface PinnedForm {
  readonly id: string;
  readonly pins: readonly string[];
}

/** The fingerprints that a browser was offered, computed from the keys themselves. */
export interface Offer {
  readonly version: number;
  readonly rsa: string;
  readonly hybrid: string | undefined;
}

/**
 * Asks for the key of a form as pages do, without and with the origin of a page, and compares each key that is offered with `pins`. A key
 * that is not among them could be anybody's.
 */
export async function verifyForm(
  instance: string,
  { id, pins }: PinnedForm,
  origins: readonly string[],
  witnesses: readonly Witness[],
  findings: Findings,
): Promise<void> {
  await eachOffer(instance, id, origins, witnesses, findings, ({ rsa, hybrid }, browser) => {
    for (const [name, key] of [
      ["key", rsa],
      ["hybrid key", hybrid],
    ] as const)
      if (key !== undefined && !pins.includes(key))
        findings.add(
          "differs",
          id,
          `the ${name} ${key} is not one of yours. If you rotated, give its fingerprint too; if not, what is sent now can be read by others`,
          browser,
        );
  });
}

/** The same for a form of a page: the page refuses keys that it does not pin, so one of those that are offered must be pinned. */
export async function verifyPagePins(
  instance: string,
  { id, pins }: PinnedForm,
  origin: string,
  witnesses: readonly Witness[],
  findings: Findings,
): Promise<void> {
  await eachOffer(instance, id, [origin], witnesses, findings, ({ rsa, hybrid }, browser) => {
    if (!pins.includes(rsa) && (hybrid === undefined || !pins.includes(hybrid)))
      findings.add(
        "differs",
        id,
        `none of the keys that are offered is pinned by the page at ${origin}, so nobody can send there. Update its snippet if you rotated`,
        browser,
      );
  });
}

export async function eachOffer(
  instance: string,
  id: string,
  origins: readonly string[],
  witnesses: readonly Witness[],
  findings: Findings,
  check: (offer: Offer, browser: string, witness: Witness) => unknown,
): Promise<void> {
  const url = new URL(`/api/forms/${id}/public`, instance);
  for (const witness of witnesses) {
    const { browser, visitor } = witness;
    for (const origin of origins.length === 0 ? [undefined] : origins) {
      const answer = await visitor.get(url, createHeaders(browser, "data", origin));
      const trouble = findTrouble(answer);
      const offer = answer.kind === "answer" && trouble === undefined ? await readOffer(id, answer.body) : undefined;
      if (offer !== undefined) await check(offer, browser.name, witness);
      else
        findings.add(
          trouble?.exit ?? "differs",
          id,
          trouble === undefined ? "the answer for its key is not one that pages take" : `its key ${trouble.message}`,
          browser.name,
        );
    }
  }
}

/** Reads the answer of `GET /api/forms/{id}/public`; `undefined` where the embed would refuse it. */
async function readOffer(id: string, body: Buffer): Promise<Offer | undefined> {
  const { form } = parseObject(body);
  if (typeof form !== "object" || form === null) return undefined;
  const { publicKey, hybridPublicKey, ...said } = form as Readonly<Record<string, unknown>>; // each member is checked
  if (said.id !== id || !isPublicKey(publicKey)) return undefined;
  if (hybridPublicKey !== undefined && !isHybridPublicKey(hybridPublicKey)) return undefined;
  if (!Number.isSafeInteger(said.keyVersion)) return undefined;
  const offer = {
    version: Number(said.keyVersion),
    rsa: await fingerprint(publicKey),
    hybrid: hybridPublicKey && (await hybridFingerprint(hybridPublicKey)),
  };
  return said.keyFingerprint === offer.rsa && said.hybridKeyFingerprint === offer.hybrid ? offer : undefined;
}

function parseObject(body: Buffer): { readonly form?: unknown } {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
