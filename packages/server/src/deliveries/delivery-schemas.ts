import { Type } from "typebox";
import {
  closed,
  FormIdParameters,
  Milliseconds,
  NextCursor,
  PageQuery,
  reference,
  SubmissionIdText,
} from "../http/schemas.ts";
import { type EventKind, eventKinds } from "../outbox/event.ts";
import { repeatReasons } from "./delivery-error.ts";

const id = Type.String({ description: "The delivery's id, as in `X-Service-Delivery-Id`." });
const statusCode = Type.Optional(
  Type.Integer({ description: "What the receiver answered; absent when nothing answered." }),
);
const duration = Type.Optional(Type.Integer({ minimum: 0, description: "Milliseconds of the last request." }));
const error = Type.Optional(Type.String({ description: "What went wrong." }));
const errorCode = Type.Optional(
  Type.String({
    description: "The code of `error`, for programs and translations: `/docs/codes` lists all.",
    examples: ["timed_out", "could_not_connect"],
  }),
);

const line = {
  id,
  event: Type.Unsafe<EventKind>(Type.Union(eventKinds.map((kind) => Type.Literal(kind)))),
  timestamp: Type.Integer({
    minimum: 0,
    description: "When the event happened, in milliseconds since the Unix epoch.",
  }),
  status: Type.Union([Type.Literal("success"), Type.Literal("failed")]),
  statusCode,
  duration,
  error,
  errorCode,
  retryCount: Type.Integer({ minimum: 0, description: "Attempts after the first." }),
  nextAttemptAt: Type.Optional(
    Type.Integer({ minimum: 0, description: "There while another attempt is due: when, in milliseconds." }),
  ),
  test: Type.Optional(Type.Literal(true, { description: "There on test deliveries." })),
};

export const DeliveryLineBody = closed(line, {
  $id: "Delivery",
  description: "One event on its way to a webhook URL.",
});

export const DeliveryLogBody = closed(
  { logs: Type.Array(reference(DeliveryLineBody)), nextCursor: NextCursor },
  { $id: "DeliveryLog", description: "A page of deliveries, newest first." },
);

const AttemptBody = closed(
  {
    number: Type.Integer({
      minimum: 1,
      maximum: 6,
      description:
        "Which of the six tries. The same again on a request that repeats the one before it: see `repeatReason`.",
    }),
    startedAt: Milliseconds,
    duration: Type.Optional(Type.Integer({ minimum: 0, description: "Milliseconds; absent when it was cut short." })),
    statusCode,
    error,
    errorCode,
    url: Type.String({ description: "Where it went: the webhook URL, or a redirect's target." }),
    repeatReason: Type.Optional(
      Type.Enum([...repeatReasons], {
        description:
          "There on a request that was made again within the same try, which uses up none of the six: the connection that was kept from an earlier request was closed before an answer came, the receiver refused the secret and another one is valid, or the service was stopped.",
      }),
    ),
  },
  { $id: "DeliveryAttempt", description: "One request of a delivery." },
);

export { AttemptBody as DeliveryAttemptBody };

export const DeliveryDetailBody = closed(
  {
    ...line,
    attempts: Type.Array(reference(AttemptBody)),
    body: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description:
          "The exact text that was signed and sent; null once its submission was deleted, also while it is still to be sent. Needs the permission `submissions:read` as well.",
      }),
    ),
  },
  { $id: "DeliveryDetail", description: "A delivery with its attempts and the body that was sent." },
);

export const TestedBody = closed(
  {
    success: Type.Boolean({ description: "Whether the receiver accepted it." }),
    delivery: reference(DeliveryLineBody),
  },
  { $id: "WebhookTest", description: "What became of the test." },
);

export const ResentBody = closed(
  { success: Type.Literal(true), delivery: closed({ id }) },
  { $id: "Resent", description: "The new delivery; it is in the log once its first attempt has ended." },
);

export const LogQuery = closed({
  ...PageQuery.properties,
  status: Type.Optional(Type.Union([Type.Literal("success"), Type.Literal("failed")])),
  submissionId: Type.Optional({ ...SubmissionIdText, description: "Only deliveries of events of this submission." }),
});

export const DeliveryParameters = closed({
  ...FormIdParameters.properties,
  delivery_id: Type.String({ description: "The delivery's id, `dlv_…`." }),
});
