import type { PublicHalves } from "@sealpost/envelope";
import { decodeBase64Url, encodeBase64Url } from "@sealpost/wire";
import { send } from "../api/session-api.ts";

export type Way = "passphrase" | "passkey" | "sheet" | "device";

/** A sealed copy of the key, and the way that opens it. */
export interface KeyCopy {
  readonly id: string;
  readonly way: Way;
  readonly name: string;
  readonly createdAt: number;
  readonly removedAt: number | null;
  readonly restorableUntil: number | null;
}

export interface NewCopy {
  readonly way: Way;
  readonly name: string;
  readonly file: Uint8Array<ArrayBuffer>;
}

interface Answer {
  readonly personalKey: PublicHalves | null;
  readonly copies: readonly KeyCopy[];
}

interface CopyAnswer {
  readonly copy: KeyCopy;
}

/** The person's key, as the server has it: public halves, and files that are sealed. */
export const personalKeyApi = {
  find: (): Promise<Answer> => send("GET", "/api/account/personal-key"),
  create: ({ recipient, signingKey }: PublicHalves, copies: readonly NewCopy[]): Promise<Answer> =>
    send("POST", "/api/account/personal-key", { recipient, signingKey, copies: copies.map(toBody) }),
  async loadFile(copyId: string): Promise<Uint8Array<ArrayBuffer>> {
    const { file } = await send<{ readonly file: string }>("GET", `/api/account/key-copies/${copyId}`);
    return decodeBase64Url(file) ?? new Uint8Array();
  },
  add: async (copy: NewCopy): Promise<KeyCopy> =>
    (await send<CopyAnswer>("POST", "/api/account/key-copies", toBody(copy))).copy,
  remove: (copyId: string): Promise<CopyAnswer> => send("DELETE", `/api/account/key-copies/${copyId}`),
  restore: (copyId: string): Promise<CopyAnswer> => send("POST", `/api/account/key-copies/${copyId}/restore`, {}),
};

function toBody({ way, name, file }: NewCopy) {
  return { way, name, file: encodeBase64Url(file) };
}
