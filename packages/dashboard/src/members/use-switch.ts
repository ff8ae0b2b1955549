import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { client } from "../api/client.ts";
import { sessionQuery } from "../session/session.ts";
import { tellSwitched } from "../shell/sign-out-channel.ts";
import { organizationsQuery } from "./membership.ts";

/** Makes the session act for another organization, in every tab: nothing of the one before stays on a page. */
export function useSwitch(): (organizationId: string) => Promise<void> {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  return async (organizationId) => {
    await client.organizations.switchTo(organizationId);
    tellSwitched();
    const session = queryClient.getQueryData(sessionQuery.queryKey);
    queryClient.clear();
    queryClient.setQueryData(sessionQuery.queryKey, session);
    await queryClient.fetchQuery(organizationsQuery);
    await navigate({ to: "/", ignoreBlocker: true });
  };
}
