import { paragraphs } from "../../paragraphs.ts";
import { counted, plural } from "../plurals.ts";

interface OfForm {
  /** The page that says more. */
  readonly link: string;
}

const newSubmissions = (count: number): string => counted(count, { one: "new submission", other: "new submissions" });

const moreRoom = ({ link }: OfForm): string =>
  `What is stored stays. Delete what you no longer need, or ask the server's operator for more room:\n${link}`;

/** Emails that are good to know. Anyone can unsubscribe from these. */
export const notices = {
  submissions: {
    subject: ({ count }: { readonly count: number }): string => newSubmissions(count),
    text: ({ count, link }: OfForm & { readonly count: number }): string =>
      paragraphs(
        `One of your forms has ${newSubmissions(count)}.`,
        `${plural(count, { one: "Read it:", other: "Read them:" })}\n${link}`,
        "The next mail about this form comes in an hour at the earliest.",
      ),
  },
  webhook_failing: {
    subject: "A webhook has been failing for a day",
    text: ({ link, since }: OfForm & { readonly since: string }): string =>
      paragraphs(
        `The webhook of one of your forms has accepted nothing since ${since}. Submissions are stored all the same. Each delivery is tried for a little more than a day and can then be sent again by hand.`,
        `What went wrong:\n${link}`,
      ),
  },
  key_unproved: {
    subject: "Can you open what your form receives?",
    /** `request`: method and address by which a program says that it opens the form. */
    text: ({ link, request }: OfForm & { readonly request: string }): string =>
      paragraphs(
        "One of your forms has been receiving submissions for a day, and nobody has shown yet that they can open them: they are sealed to a key that this server never had.",
        `Open the form once with its private key:\n${link}`,
        `If nobody has the key, rotate the form's keys now. What came until then stays sealed. If a program of yours opens the submissions, it can say so:\n${request}`,
      ),
  },
  refusal: {
    text: ({ seen, remedy, link, since }: OfForm & Readonly<Record<"seen" | "remedy" | "since", string>>): string =>
      paragraphs(
        `${seen} This was seen first on ${since}. What was typed there did not reach you.`,
        `${remedy}\n${link}`,
        "Anybody can send such a request, so it need not be a page of yours. You get one such email for each cause, until the form's settings are changed; the form's pages here say until when it was seen.",
      ),
    origin: {
      subject: "A page that a form does not allow was refused",
      seen: "A page at an address that one of your forms does not allow asked to use it, and was refused.",
      remedy: "If the form is on a new page of yours, add its address to the form's pages that may send:",
    },
    unsealed: {
      subject: "Answers that were not sealed were refused",
      seen: "Somebody sent answers that were not sealed to one of your forms, which takes sealed ones alone.",
      remedy: "A plain HTML form, from before the form sealed, does that. Replace it with the form's snippet:",
    },
    too_large: {
      subject: "A submission was refused as too large",
      seen: "Somebody sent more to one of your forms than it takes at once.",
      remedy: "If visitors need to send as much, raise the form's limit. A submission has 1 MiB at most:",
    },
    hourly_limit: {
      subject: "A form reached its limit for an hour",
      seen: "One of your forms had taken as many submissions as you allow within an hour, and refused the next.",
      remedy: "If visitors sent these, raise the form's limit:",
    },
    form_markup: {
      subject: "An HTML form was refused for its markup",
      seen: "A plain HTML form was sent to one of your forms in a way that can't be taken.",
      remedy:
        'It has files, too many fields, no field whose name counts, another enctype, or method="get". Compare it with the form\'s snippet:',
    },
    trapped: {
      subject: "A field that has to stay empty was filled in",
      seen: "A browser sent a plain HTML form to one of your forms with the field _gotcha filled in, and was refused.",
      remedy:
        "Programs that fill in every field do that. Look whether your page shows this field to visitors: then hide it as the form's snippet does:",
    },
  },
  quota_form_full: {
    subject: "A form is full",
    text: (values: OfForm): string =>
      paragraphs(
        "One of your forms stores all that it may. It takes no more submissions. Visitors are notified so; nothing that they typed is lost on their page.",
        moreRoom(values),
      ),
  },
  quota_form_nearly_full: {
    subject: "A form is nearly full",
    text: (values: OfForm): string =>
      paragraphs(
        "One of your forms stores four fifths of what it may. From here on the room is kept for quiet visitors. It takes no submissions of more than 64 KiB, and none from addresses that have sent ten within the hour.",
        moreRoom(values),
      ),
  },
  quota_account_full: {
    subject: "Your account is full",
    text: (values: OfForm): string =>
      paragraphs(
        "Your account stores all that it may. Its forms take no more submissions. Visitors are notified so; nothing that they typed is lost on their page.",
        "Organizations that count for the same person share this room; the page below says which.",
        moreRoom(values),
      ),
  },
  quota_account_nearly_full: {
    subject: "Your account is nearly full",
    text: (values: OfForm): string =>
      paragraphs(
        "Your account stores four fifths of what it may. From here on the room is kept for quiet visitors. Its forms take no submissions of more than 64 KiB, and none from addresses that have sent ten within the hour.",
        "Organizations that count for the same person share this room; the page below says which.",
        moreRoom(values),
      ),
  },
  quota_log_full: {
    subject: "Your audit log is full",
    text: ({ link }: OfForm): string =>
      paragraphs(
        "The audit log of your organization has filled its storage. Only owners who are signed in can add or change forms, keys and members now; API keys, managers and developers can't. Submissions arrive in any case.",
        `An owner can download the log and remove its oldest entries. The page says who wrote so many:\n${link}`,
      ),
  },
  quota_log_nearly_full: {
    subject: "Your audit log is nearly full",
    text: ({ link }: OfForm): string =>
      paragraphs(
        "The audit log of your organization has filled four fifths of its storage. Once it is full, only owners who are signed in can add or change forms, keys and members. Submissions arrive in any case.",
        `An owner can download the log and remove its oldest entries. The page says who wrote so many:\n${link}`,
      ),
  },
} as const;

/** The end of a notice, below a line of two hyphens. */
export const unsubscribe = {
  form: ({ link }: OfForm): string => `No more emails about this form, without signing in (for 90 days):\n${link}`,
  storage: ({ link }: OfForm): string =>
    `No more emails about full storage, without signing in (for 90 days):\n${link}`,
} as const;
