import { createHmac, timingSafeEqual } from "node:crypto";
import { type AccountId, type FormId, isId } from "@sealpost/wire";
import type { SecretBox } from "../secret-box.ts";

/** Links by which whoever has a notice ends it without a sign-in (RFC 8058). They end notices and do nothing else. */
export interface UnsubscribeLinks {
  create(id: FormId | AccountId): string;
  /** The form that a link's token is about, or the account; `undefined` when this instance made none such. */
  parse(token: string): FormId | AccountId | undefined;
}

export function createUnsubscribeLinks(
  secretBox: Pick<SecretBox, "deriveKey">,
  baseUrl: () => string,
): UnsubscribeLinks {
  const key = Buffer.from(secretBox.deriveKey("unsubscribe"), "base64");
  const sign = (id: string) => createHmac("sha256", key).update(id).digest("base64url");
  return {
    create: (id) => `${baseUrl()}/unsubscribe/${id}.${sign(id)}`,
    parse(token) {
      const [id, signature = ""] = token.split(".", 2);
      if (!isId("form", id) && !isId("account", id)) return undefined;
      const [given, wanted] = [Buffer.from(signature), Buffer.from(sign(id))];
      return given.length === wanted.length && timingSafeEqual(given, wanted) ? id : undefined;
    },
  };
}
