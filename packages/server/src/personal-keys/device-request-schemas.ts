import { copyBytesMax, writtenHeadsBytesMax } from "@sealpost/envelope/form";
import { Type } from "typebox";
import { closed, Milliseconds } from "../http/schemas.ts";

const Hash = Type.String({ pattern: "^[A-Za-z0-9_-]{43}$", description: "Base64url of 32 bytes." });
const Nonce = Type.String({ pattern: "^[A-Za-z0-9_-]{22}$", description: "Base64url of 16 random bytes." });
const Recipient = Type.String({ maxLength: 2000, description: "A hybrid recipient of age, `age1pq1…`." });
const lettersOf = (bytes: number) => Math.ceil((bytes * 4) / 3);

const challenge = {
  recipient: Recipient,
  signingKey: Type.String({ maxLength: 43, description: "Ed25519, base64url of 32 bytes." }),
  nonce: Nonce,
  proof: Type.Union([Hash, Type.Null()], { description: "Null where the person compares codes." }),
};
const reveal = { recipient: Recipient, nonce: Nonce };
const answer = {
  copy: Type.String({
    maxLength: lettersOf(copyBytesMax),
    description: "The key, sealed for the new device: base64url.",
  }),
  heads: Type.String({
    maxLength: lettersOf(writtenHeadsBytesMax),
    pattern: "^[A-Za-z0-9_-]+$",
    description:
      "What the open device has seen, signed and sealed for the new one: base64url of at most 1 MiB, for which it leaves out what has no room.",
  }),
};

export const DeviceRequestInput = closed({ commitment: Hash });
export const DeviceChallengeInput = closed(challenge);
export const DeviceRevealInput = closed(reveal);
export const DeviceAnswerInput = closed(answer);
export const DeviceRequestIdParameters = closed({
  request_id: Type.String({ description: "The request's id, `dev_…`." }),
});

export const DeviceRequestBody = closed(
  {
    id: Type.String(),
    isOwn: Type.Boolean({ description: "Whether the session that asks has made it: that of the new device." }),
    commitment: Hash,
    expiresAt: Milliseconds,
    challenge: Type.Union([closed(challenge), Type.Null()]),
    reveal: Type.Union([closed(reveal), Type.Null()]),
    isAnswered: Type.Boolean(),
    answer: Type.Union([closed(answer), Type.Null()], { description: "For the session that has made the request." }),
  },
  {
    $id: "DeviceRequest",
    description: "A handover of the personal key to another device of its person (specification, section 21).",
  },
);
