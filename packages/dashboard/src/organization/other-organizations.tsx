import type { Organization } from "@sealpost/sdk";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useSession } from "../session/session.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { hasChosen, noteChosen } from "./chosen-organization.ts";
import { organizationsQuery } from "./membership.ts";
import { useSwitch } from "./use-switch.ts";

const { members } = text;

const { elsewhere: texts } = members;

/** So many are named here; the account menu has all of them. */
const namedMax = 3;

/**
 * A new sign-in acts for the person's own organization, whichever invited them: the others are named until one of them, or this one, is chosen.
 * Otherwise a person who was invited finds no form here, and no word of where they are.
 */
export default function OtherOrganizations() {
  const { session, user } = useSession();
  const [stays, setStays] = useState(false);
  const { data } = useQuery(organizationsQuery);
  const here = data?.organizations.find(({ current }) => current);
  const isChosen = stays || hasChosen(session.id);
  if (isChosen || here === undefined || data === undefined || data.organizations.length < 2) return null;
  if (here !== findFirst(data.organizations, user.id)) return null;
  return (
    <Notice title={texts.title(here.name || members.unnamed)}>
      <Switches intro={texts.intro}>
        <Button
          look="quiet"
          onClick={() => {
            noteChosen(session.id);
            setStays(true);
          }}
          small
        >
          {texts.stay}
        </Button>
      </Switches>
    </Notice>
  );
}

/** The one for which a session acts before its person has chosen: their own or, without one, their oldest. */
function findFirst(organizations: readonly Organization[], personId: string): Organization | undefined {
  const [oldest] = organizations.toSorted((one, other) => one.since - other.since);
  return organizations.find(({ id }) => id === personId) ?? oldest;
}

/** The target of a link may be in another organization than the one that the session acts for. */
export function MaybeElsewhere({ onSwitched }: { readonly onSwitched: () => unknown }) {
  const { data } = useQuery(organizationsQuery);
  if (data === undefined || data.organizations.length < 2) return null;
  return (
    <Notice title={texts.maybeTitle}>
      <Switches intro={texts.maybe} onSwitched={onSwitched} />
    </Notice>
  );
}

function Switches({
  intro,
  onSwitched,
  children,
}: {
  readonly intro: string;
  readonly onSwitched?: () => unknown;
  readonly children?: ReactNode;
}) {
  const { data } = useQuery(organizationsQuery);
  const switching = useMutation({ mutationFn: useSwitch(), ...(onSwitched && { onSuccess: onSwitched }) });
  const others = data?.organizations.filter(({ current }) => !current) ?? [];
  return (
    <>
      <p>
        {intro} {others.length > namedMax && texts.more}
      </p>
      {switching.isError && <ErrorNotice error={switching.error} />}
      <ul aria-label={members.organizations} className="mt-2 grid gap-2">
        {others.slice(0, namedMax).map(({ id, name, role }) => (
          <li key={id}>
            <Button
              className="max-w-full"
              onClick={() => switching.mutate(id)}
              pending={switching.isPending && switching.variables === id}
              small
            >
              <bdi className="truncate">{texts.open(name || members.unnamed, members.roles[role])}</bdi>
            </Button>
          </li>
        ))}
      </ul>
      {children && <div className="mt-1">{children}</div>}
    </>
  );
}
