import { Type } from "typebox";
import { closed, Milliseconds, reference } from "../http/schemas.ts";

const whenLeaving = Type.Union([Milliseconds, Type.Null()], {
  description: "When the account is deleted for good; null while nobody asked for that.",
});

export const OwnAccountBody = closed(
  {
    id: Type.String({ description: "The person's id, `acc_…`." }),
    name: Type.String(),
    email: Type.String(),
    deletedAt: whenLeaving,
    move: Type.Union(
      [
        closed({
          email: Type.String({ description: "The other address." }),
          expiresAt: Milliseconds,
        }),
        Type.Null(),
      ],
      { description: "A move to another address that waits until both addresses have confirmed it." },
    ),
  },
  { $id: "OwnAccount", description: "The person who asks." },
);

export const AccountDeletionBody = closed(
  {
    deletedAt: whenLeaving,
    organizations: Type.Array(
      closed({
        id: Type.String(),
        name: Type.String(),
        forms: Type.Integer({ minimum: 0, description: "Its forms that you see." }),
        submissions: Type.Integer({ minimum: 0, description: "Of an organization that is deleted; else 0." }),
        heldForms: Type.Array(closed({ id: Type.String({ description: "The form's id." }), name: Type.String() }), {
          description:
            "Its forms under legal hold, where it is to be deleted: until an owner lifts their holds, the account can't be deleted.",
        }),
        fate: Type.Enum(["deleted", "left", "needs_owner"], {
          description:
            "`deleted`: nobody else belongs to it, so it goes with the account, its forms and submissions too. `left`: others keep it. `needs_owner`: others belong to it, and none of them owns it; make one an owner first, or delete it.",
        }),
      }),
    ),
  },
  { $id: "AccountDeletion", description: "Whether and when an account is deleted, and what goes with it." },
);

export const OrganizationDeletionBody = closed(
  { deletedAt: Type.Union([Milliseconds, Type.Null()], { description: "Null: it is kept." }) },
  { $id: "OrganizationDeletion", description: "When an organization is deleted for good." },
);

export const OwnAccountInput = closed({ name: Type.String({ description: "Another name, at most 100 characters." }) });

export const ownAccountAnswer = closed({ account: reference(OwnAccountBody) });
