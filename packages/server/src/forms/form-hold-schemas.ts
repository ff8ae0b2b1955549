import { Type } from "typebox";
import { closed, Milliseconds, momentMax, reference } from "../http/schemas.ts";
import { holdReasonLengthMax } from "./form-hold.ts";

export const FormHoldBody = closed(
  {
    since: Milliseconds,
    setBy: Type.Union(
      [closed({ id: Type.String({ description: "The person's id, `acc_…`." }), name: Type.String() }), Type.Null()],
      { description: "Who set it; null if that person's account is gone." },
    ),
    reason: Type.Union([Type.String(), Type.Null()], {
      description: "The text of who set it. Everybody who sees the form sees it.",
    }),
    until: Type.Union([Milliseconds, Type.Null()], {
      description: "When owners are reminded to look whether it is still needed. It does not end by itself.",
    }),
  },
  { $id: "FormHold", description: "A legal hold: while it lasts, nothing of the form is deleted." },
);

export const HeldFormBody = closed(
  { hold: Type.Union([reference(FormHoldBody), Type.Null()], { description: "Null: there is none." }) },
  { $id: "HeldForm", description: "The form's legal hold." },
);

export const FormHoldInput = closed({
  reason: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      description: `One line of at most ${holdReasonLengthMax} characters, such as the number of a case. Everybody who sees the form sees it.`,
    }),
  ),
  until: Type.Optional(
    Type.Union([Type.Integer({ minimum: 0, maximum: momentMax }), Type.Null()], {
      description: "When owners are reminded, in milliseconds since the Unix epoch. The hold does not end by itself.",
    }),
  ),
});
