import { decodeBase64Url } from "@sealpost/wire";
import type { MemberListHead } from "../client/member-list-client.ts";

/** A head of a signed list as people pass it on: `NUMBER-HASH`. */
export function formatListHead({ number, hash }: MemberListHead): string {
  return `${number}-${hash}`;
}

/** The head that such a text says; `undefined` for any other text. */
export function parseListHead(text: string): MemberListHead | undefined {
  const [, number = "", hash = ""] = /^([1-9]\d{0,3})-([\w-]{43})$/.exec(text.trim()) ?? [];
  return decodeBase64Url(hash)?.length === 32 ? { number: Number(number), hash } : undefined;
}
