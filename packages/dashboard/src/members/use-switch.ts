import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { client, showOrganization } from "../api/client.ts";
import { sessionQuery } from "../session/session.ts";
import { tellSwitched } from "../shell/sign-out-channel.ts";
import { organizationsQuery } from "./membership.ts";

/** Queries about the person, whatever organization the session acts for. */
const ofPerson: readonly unknown[] = [sessionQuery.queryKey[0], organizationsQuery.queryKey[0]];

/** Makes the session act for another organization, in every tab: nothing of the one before stays on a page. */
export function useSwitch(): (organizationId: string) => Promise<void> {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return async (organizationId) => {
    await client.organizations.switchTo(organizationId);
    showOrganization(organizationId);
    tellSwitched();
    await queryClient.fetchQuery({ ...organizationsQuery, staleTime: 0 });
    await navigate({ to: "/", ignoreBlocker: true });
    // Not removed: who shows one of them waits for the new one.
    await queryClient.resetQueries({ predicate: ({ queryKey: [name] }) => !ofPerson.includes(name) });
  };
}
