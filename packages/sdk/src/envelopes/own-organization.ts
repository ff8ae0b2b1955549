import type { HeadStore, VerifiedList } from "@sealpost/envelope";
import { EnvelopeProblemError } from "./envelope-problem.ts";

const name = "organization of new forms";

/**
 * Requires that `list` is of the organization that was named, or else of the one of the forms that were created before. A person may be in several, and
 * which of their lists is shown is the server's word: a new form would be sealed for the readers and recovery keys of another one.
 */
export async function requireOwnOrganization(
  store: HeadStore,
  { organizationId }: Pick<VerifiedList, "organizationId">,
  named: string | undefined,
): Promise<void> {
  let isOwn = false;
  await store.change(name, (before) => {
    isOwn = organizationId === (named ?? before ?? organizationId);
    return isOwn && before !== organizationId ? organizationId : undefined;
  });
  if (!isOwn) throw new EnvelopeProblemError("unexpected_organization");
}
