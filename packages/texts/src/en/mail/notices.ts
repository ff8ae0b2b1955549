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
