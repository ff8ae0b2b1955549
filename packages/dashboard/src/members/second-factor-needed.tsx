import type { Organization } from "@sealpost/sdk";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { passkeysQuery } from "../api/passkey-api.ts";
import { LeaveSection } from "../organization/leave-section.tsx";
import { organizationsQuery } from "../organization/membership.ts";
import { useChooseOrganization } from "../personal-key/choose-organization.ts";
import PasskeyConfirm from "../session/passkey-confirm.tsx";
import { formatDate } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { PageHeader, Skeleton } from "../ui/page.tsx";

const { members, passkeys, secondFactorRule: texts } = text;

/** In place of every page of an organization that requires a second factor, for who signed in without one. */
export function SecondFactorNeeded({ organization }: { readonly organization: Organization }) {
  const { data } = useQuery(organizationsQuery);
  const queryClient = useQueryClient();
  const own = useQuery(passkeysQuery);
  const switchTo = useChooseOrganization();
  const switching = useMutation({ mutationFn: switchTo });
  const others = data?.organizations.filter(({ current }) => !current) ?? [];
  // Before that is known, the page does not ask for one thing and then for another.
  if (own.isPending) return <Skeleton className="mx-auto h-40 w-full max-w-3xl" />;
  const hasPasskey = (own.data?.passkeys.length ?? 0) > 0;
  const { neededIntro, neededTitle } = hasPasskey ? passkeys : texts;
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader intro={neededIntro(organization.name || texts.thisOrganization)} title={neededTitle} />
      <div className="card grid gap-4 p-5 sm:p-6">
        {switching.isError && <ErrorNotice error={switching.error} />}
        {hasPasskey ? (
          <PasskeyConfirm look="primary" onConfirmed={() => queryClient.invalidateQueries()} />
        ) : (
          <div>
            <Link className={buttonClass("primary")} hash="second-factor" to="/account">
              {texts.setUp}
            </Link>
          </div>
        )}
        {others.length > 0 && (
          <>
            <p>{texts.others}</p>
            <ul aria-label={members.organizations} className="grid gap-2">
              {others.map(({ id, name }) => (
                <li key={id}>
                  <Button
                    className="max-w-full"
                    onClick={() => switching.mutate(id)}
                    pending={switching.isPending && switching.variables === id}
                  >
                    <bdi className="truncate">{members.switchTo(name || members.unnamed)}</bdi>
                  </Button>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
      <div className="mt-5">
        <LeaveSection />
      </div>
    </div>
  );
}

/** Above every page, until the day from which on it is required. */
export function SecondFactorReminder({ organization }: { readonly organization: Organization }) {
  const { name, secondFactorRequiredFrom } = organization;
  if (secondFactorRequiredFrom === null) return null;
  return (
    <div className="mx-auto mb-4 w-full max-w-6xl">
      <Notice
        action={
          <Link className={buttonClass()} hash="second-factor" to="/account">
            {texts.setUp}
          </Link>
        }
        tone="warning"
      >
        {texts.remind(name || texts.thisOrganization, formatDate(secondFactorRequiredFrom))}
      </Notice>
    </div>
  );
}
