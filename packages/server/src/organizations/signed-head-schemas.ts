import { signedHeadLengthMax } from "@sealpost/envelope/form";
import { Type } from "typebox";
import { closed, Milliseconds, reference } from "../http/schemas.ts";

const organizationId = Type.String({ description: "The organization's id, `acc_…`." });
const description = "Two lines, the head and its signature (SPECIFICATION.md section 22), each with its line feed.";

export const SignedHeadBody = closed(
  { organizationId, signedHead: Type.String({ description }), storedAt: Milliseconds },
  { $id: "SignedHead", description: "The head of a signed list that a device of yours had verified, signed by it." },
);

export const SignedHeadListBody = closed(
  { signedHeads: Type.Array(reference(SignedHeadBody)) },
  { description: "At most one for each organization that you belong to." },
);

export const SignedHeadInput = closed({ signedHead: Type.String({ maxLength: signedHeadLengthMax, description }) });

export const signedHeadAnswer = closed({ signedHead: reference(SignedHeadBody) });

export const SignedHeadParameters = closed({ organization_id: organizationId });
