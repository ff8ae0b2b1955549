import type { Page } from "playwright-core";
import type { TestSmtpServer } from "../../packages/server/src/mail/testing/smtp-server.ts";

interface Parts {
  readonly email: string;
  readonly smtp: TestSmtpServer;
  /** A page on which nobody is signed in. */
  readonly open: (path: string) => Promise<Page>;
  readonly take: (page: Page, name: string) => Promise<void>;
}

/** Asks for a mail as somebody who lost the password, and follows its link. Sets none, so that it can be done again. */
export async function takePasswordReset({ email, smtp, open, take }: Parts, suffix: string): Promise<void> {
  const asking = await open("/sign-in");
  await asking.getByRole("link", { name: "Forgot your password?" }).click();
  await asking.getByRole("heading", { name: "Forgot your password?" }).waitFor();
  await take(asking, `forgot-password-1-ask${suffix}`);
  await asking.getByLabel("Email address").fill(email);
  await asking.getByRole("button", { name: "Mail me a link" }).click();
  await asking.getByText("a mail is on its way").waitFor();
  await take(asking, `forgot-password-2-sent${suffix}`);
  await asking.context().close();

  const link = new URL(await findLink(smtp));
  const following = await open(`${link.pathname}${link.hash}`);
  await following.getByRole("heading", { name: "Set a new password" }).waitFor();
  await take(following, `forgot-password-3-new${suffix}`);
  await following.context().close();
}

/** Notices of new submissions come to the same address. */
async function findLink(smtp: TestSmtpServer): Promise<string> {
  for (;;) {
    const { text } = await smtp.next("the mail that sets a password");
    const [link] = /^http\S+\/reset-password#\w+$/m.exec(text) ?? [];
    if (link !== undefined) return link;
  }
}
