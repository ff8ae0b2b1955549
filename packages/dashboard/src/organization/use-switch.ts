import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { client, findShownOrganization, showOrganization } from "../api/client.ts";
import { tellSwitched } from "../browser/session-channel.ts";
import { sessionQuery } from "../session/session.ts";
import { noteChosen } from "./chosen-organization.ts";
import { organizationsQuery } from "./membership.ts";

/** Queries about the person, whatever organization the session acts for. */
const ofPerson: readonly unknown[] = [sessionQuery.queryKey[0], organizationsQuery.queryKey[0]];

/** The switch that this page itself is making. */
let switching: Promise<unknown> | undefined;

/** Makes the session act for another organization, in every tab: nothing of the one before stays on a page. */
export function useSwitch(): (organizationId: string) => Promise<void> {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const switchTo = async (organizationId: string) => {
    await client.organizations.switchTo(organizationId);
    const session = queryClient.getQueryData(sessionQuery.queryKey)?.session;
    if (session !== undefined) noteChosen(session.id);
    showOrganization(organizationId);
    tellSwitched();
    await queryClient.fetchQuery({ ...organizationsQuery, staleTime: 0 });
    await navigate({ to: "/", ignoreBlocker: true });
    // Not removed: who shows one of them waits for the new one.
    await queryClient.resetQueries({ predicate: ({ queryKey: [name] }) => !ofPerson.includes(name) });
  };
  return async (organizationId) => {
    const own = switchTo(organizationId);
    switching = own;
    try {
      await own;
    } finally {
      if (switching === own) switching = undefined;
    }
  };
}

/**
 * Whether the session acts for another organization than the one that this page shows. What this page had sent before a switch of its own is refused as
 * well, but is gone with what it showed.
 */
export async function isSwitchedElsewhere(): Promise<boolean> {
  await switching?.catch(() => undefined);
  const { organizations } = await client.organizations.list();
  if (switching !== undefined) return isSwitchedElsewhere();
  return organizations.find(({ current }) => current)?.id !== findShownOrganization();
}
