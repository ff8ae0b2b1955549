import { type TSchema, Type } from "typebox";
import { FormSettingsBody, HybridPublicKeyBody, PublicKeyBody } from "../forms/form-schemas.ts";
import { closed, Milliseconds, reference, SubmissionIdText } from "../http/schemas.ts";
import type { EventKind } from "../outbox/event.ts";
import { PayloadBody } from "../submissions/submission-schemas.ts";

/** The bodies of webhook requests (contract, section 9.2). The service writes them; receivers read them. */
function event<Kind extends EventKind, Properties extends Record<string, TSchema>>(
  kind: Kind,
  content: Properties,
  options: { readonly $id: string; readonly description: string },
) {
  return closed(
    {
      event: Type.Literal(kind),
      timestamp: Type.Integer({
        minimum: 0,
        description: "When it happened, in milliseconds since the Unix epoch; as in `X-Service-Timestamp`.",
      }),
      form: closed({ id: Type.String(), name: Type.String() }),
      ...content,
      test: Type.Optional(Type.Literal(true, { description: "There on test events, whose data is made up." })),
    },
    options,
  );
}

export const SubmissionCreatedEventBody = event(
  "submission.created",
  {
    submission: closed({
      id: SubmissionIdText,
      payload: reference(PayloadBody),
      keyVersion: Type.Integer({ minimum: 1, description: "The version of the form's key pair it is sealed to." }),
      timestamp: Type.Integer({ minimum: 0, description: "The visitor's clock, in milliseconds." }),
      receivedAt: Milliseconds,
    }),
  },
  { $id: "SubmissionCreatedEvent", description: "A submission was received." },
);

export const SubmissionDeletedEventBody = event(
  "submission.deleted",
  { submission: closed({ id: SubmissionIdText }) },
  { $id: "SubmissionDeletedEvent", description: "A submission was deleted." },
);

export const FormUpdatedEventBody = event(
  "form.updated",
  {
    changes: closed({
      name: Type.Optional(Type.String()),
      settings: Type.Optional(closed(Type.Partial(Type.Object(FormSettingsBody.properties)).properties)),
    }),
  },
  { $id: "FormUpdatedEvent", description: "A form's name or settings changed: what changed, with the new values." },
);

export const FormKeysRotatedEventBody = event(
  "form.keys_rotated",
  {
    keys: closed({
      keyVersion: Type.Integer({ minimum: 2 }),
      previousKeyVersion: Type.Integer({ minimum: 1 }),
      publicKey: reference(PublicKeyBody),
      hybridPublicKey: Type.Optional(reference(HybridPublicKeyBody)),
      rotatedAt: Milliseconds,
    }),
  },
  { $id: "FormKeysRotatedEvent", description: "A form has a new key pair." },
);
