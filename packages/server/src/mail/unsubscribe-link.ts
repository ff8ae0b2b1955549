import { createHmac, timingSafeEqual } from "node:crypto";
import { type FormId, isId } from "@sealpost/wire";
import type { SecretBox } from "../secret-box.ts";

/** Links by which whoever has a notice ends it without a sign-in (RFC 8058). They end notices and do nothing else. */
export interface UnsubscribeLinks {
  create(formId: FormId): string;
  /** The form that a link's token is about; `undefined` when this instance made none such. */
  parse(token: string): FormId | undefined;
}

export function createUnsubscribeLinks(
  secretBox: Pick<SecretBox, "deriveKey">,
  baseUrl: () => string,
): UnsubscribeLinks {
  const key = Buffer.from(secretBox.deriveKey("unsubscribe"), "base64");
  const sign = (formId: string) => createHmac("sha256", key).update(formId).digest("base64url");
  return {
    create: (formId) => `${baseUrl()}/unsubscribe/${formId}.${sign(formId)}`,
    parse(token) {
      const [formId, signature = ""] = token.split(".", 2);
      if (!isId("form", formId)) return undefined;
      const [given, wanted] = [Buffer.from(signature), Buffer.from(sign(formId))];
      return given.length === wanted.length && timingSafeEqual(given, wanted) ? formId : undefined;
    },
  };
}
