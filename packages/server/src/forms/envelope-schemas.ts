import { Type } from "typebox";
import { closed, FormIdParameters, Milliseconds, NextCursor, reference } from "../http/schemas.ts";
import { envelopeTextDescription, envelopeTextLengthMax, revisionMax } from "./envelope.ts";

export const EnvelopeBody = closed(
  {
    lowestVersion: Type.Integer({
      minimum: 1,
      description: "The first of the 32 key versions that it is for: 1, 33, 65 …",
    }),
    revision: Type.Integer({ minimum: 1, description: "Its content has to say the same number." }),
    hash: Type.String({ description: "SHA-256 of its bytes, base64url: what the next revision names." }),
    bytes: Type.Integer({ minimum: 1 }),
    createdAt: Milliseconds,
  },
  { $id: "Envelope", description: "The newest revision of an envelope with private keys of a form." },
);

export const EnvelopeListBody = closed(
  {
    envelopes: Type.Array(reference(EnvelopeBody)),
    removals: Type.Array(Milliseconds, {
      description: "When envelopes were removed that can be restored, the latest first.",
    }),
    restorableUntil: Type.Union([Milliseconds, Type.Null()], {
      description: "Until when the envelopes that were removed last can be restored; null where there are none.",
    }),
  },
  { $id: "EnvelopeList", description: "A form's envelopes, by ascending key version. Most forms have one, or none." },
);

export const EnvelopeRevisionBody = closed(
  {
    revision: Type.Integer({ minimum: 1 }),
    hash: Type.String({ description: "SHA-256 of its bytes, base64url." }),
    bytes: Type.Integer({ minimum: 1 }),
    createdAt: Milliseconds,
    writerId: Type.String({
      description: "Id of the person who stored it, or who made the API key that did. Nothing signs that.",
    }),
  },
  { $id: "EnvelopeRevision", description: "A revision of an envelope that the service still has." },
);

export const EnvelopeRevisionListBody = closed(
  { revisions: Type.Array(reference(EnvelopeRevisionBody)), nextCursor: NextCursor },
  { $id: "EnvelopeRevisionList", description: "Revisions of an envelope, newest first." },
);

export const WrittenEnvelopeBody = closed({ envelope: reference(EnvelopeBody) });

export const EnvelopeParameters = closed({
  ...FormIdParameters.properties,
  lowest_version: Type.String({
    description: "The first of the 32 key versions that the envelope is for: 1, 33, 65 …",
  }),
});

export const EnvelopeQuery = closed({
  revision: Type.Optional(
    Type.Integer({ minimum: 1, maximum: revisionMax, description: "An older revision; absent: the newest." }),
  ),
});

export const RestoreQuery = closed({
  removedAt: Type.Optional(Type.Integer({ minimum: 1, description: "One of `removals`; absent: the latest." })),
});

export const EnvelopeInput = closed({
  envelope: Type.String({ maxLength: envelopeTextLengthMax, description: envelopeTextDescription }),
});
