import { type Static, Type } from "typebox";
import { closed } from "../http/schemas.ts";

/** Base64url without padding, as browsers write it (`toJSON` of Web Authentication). */
const Bytes = (maxLength: number) => Type.String({ pattern: "^[\\w-]+$", maxLength });

/** A credential's id has at most 1,023 bytes. */
const CredentialId = Bytes(1364);
const ClientData = Bytes(4096);

/** A browser's answer that a passkey has signed. */
export const SignedAnswerBody = closed({
  id: CredentialId,
  clientDataJSON: ClientData,
  authenticatorData: Bytes(4096),
  signature: Bytes(4096),
  userHandle: Type.Union([Bytes(88), Type.Null()]),
});
export type SignedAnswer = Static<typeof SignedAnswerBody>;

/** A browser's answer with a new passkey. */
export const NewAnswerBody = closed({
  id: CredentialId,
  clientDataJSON: ClientData,
  attestationObject: Bytes(32_768),
  transports: Type.Array(Type.String({ pattern: "^[\\w-]+$", maxLength: 32 }), { maxItems: 10 }),
});
export type NewAnswer = Static<typeof NewAnswerBody>;

export const PasskeyNameBody = closed({ name: Type.String() });

export const PasskeyIdParameters = closed({ passkey_id: Type.String() });
