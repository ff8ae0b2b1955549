import { useQueryClient } from "@tanstack/react-query";
import { organizationsQuery } from "../organization/membership.ts";
import { useSwitch } from "../organization/use-switch.ts";
import { useSession } from "../session/session.ts";

/** Switches as the person asks for it, and remembers which organization they mean by it, under the name that was pressed. */
export function useChooseOrganization(): (organizationId: string) => Promise<void> {
  const switchTo = useSwitch();
  const queryClient = useQueryClient();
  const { user } = useSession();
  const nameOf = (organizationId: string) =>
    queryClient.getQueryData(organizationsQuery.queryKey)?.organizations.find(({ id }) => id === organizationId)?.name;
  return async (organizationId) => {
    const pressed = nameOf(organizationId);
    await switchTo(organizationId);
    // Loaded only when somebody switches.
    const { loadHeads } = await import("../envelopes/heads.ts");
    const { findOpenHalves } = await import("./personal-key.ts");
    const heads = await loadHeads(user.id, findOpenHalves());
    await heads.organizationsOf(user.id).choose(organizationId, pressed ?? nameOf(organizationId) ?? "");
  };
}
