import { answerLengthMax, termsLengthMax } from "@sealpost/envelope/form";
import { Type } from "typebox";
import { closed, Milliseconds, reference } from "../http/schemas.ts";

const Terms = {
  description: "Two lines, the terms and their signature (SPECIFICATION.md section 19), each with its line feed.",
};
const Answer = {
  description:
    "Three lines, each with its line feed (SPECIFICATION.md section 19): the answer with the public halves of the person's key, its signature by this key, and the proof, a signature by the key that follows from the link's secret.",
};

export const AdmissionBody = closed(
  {
    id: Type.String({ description: "The admission's id, `adm_…`." }),
    person: Type.Union([Type.String(), Type.Null()], {
      description: "The member whom it is for; null for anyone whose account has the address.",
    }),
    email: Type.String(),
    terms: Type.String(Terms),
    madeBy: Type.String({ description: "The id of the owner or manager who made it." }),
    createdAt: Milliseconds,
    endsAt: Milliseconds,
    answeredAt: Type.Union([Milliseconds, Type.Null()], { description: "Null: the person has not answered yet." }),
  },
  { $id: "Admission", description: "An offer to bring a person into the signed list, that has not ended." },
);

export const AdmissionListBody = closed(
  { admissions: Type.Array(reference(AdmissionBody)) },
  { description: "Those that have not ended." },
);

export const AdmissionDetailsBody = closed(
  {
    admission: reference(AdmissionBody),
    answer: Type.Union([Type.String(Answer), Type.Null()]),
  },
  { description: "What an owner or a manager checks, and finishes." },
);

export const AdmissionInput = closed({ terms: Type.String({ ...Terms, maxLength: termsLengthMax }) });

export const OwnAdmissionBody = closed(
  {
    organization: closed({ id: Type.String(), name: Type.String() }),
    terms: Type.String(Terms),
    list: Type.String({
      description:
        "A page of the organization's signed list (SPECIFICATION.md section 14), the newest or the one that has `entry`. The whole list is to be verified from the link's head.",
    }),
    names: Type.String({ description: "The file of names next to the list (SPECIFICATION.md section 14)." }),
    answeredAt: Type.Union([Milliseconds, Type.Null()]),
  },
  { description: "The terms, with the list to verify them with." },
);

export const OwnAdmissionListBody = closed(
  {
    admissions: Type.Array(
      closed({
        id: Type.String({ description: "The admission's id, `adm_…`." }),
        organization: closed({ id: Type.String(), name: Type.String() }),
        endsAt: Milliseconds,
        answeredAt: Type.Union([Milliseconds, Type.Null()]),
      }),
    ),
  },
  { description: "Those that have not ended." },
);

export const AnswerInput = closed({ answer: Type.String({ ...Answer, maxLength: answerLengthMax }) });

export const AdmissionIdParameters = closed({
  admission_id: Type.String({ description: "The admission's id, `adm_…`." }),
});

export const done = closed({ success: Type.Literal(true) }, { description: "It was done." });
