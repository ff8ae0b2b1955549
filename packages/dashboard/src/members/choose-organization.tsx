import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { forgetAllKeys } from "../keys/keyring.ts";
import { organizationsQuery } from "../organization/membership.ts";
import { useChooseOrganization } from "../personal-key/choose-organization.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { PageHeader } from "../ui/page.tsx";
import { CreateOrganization } from "./create-organization.tsx";

const { members: texts } = text;

/** In place of every page while the session acts for no organization: its person left it, or was removed. */
export default function ChooseOrganization() {
  const { data } = useQuery(organizationsQuery);
  const switchTo = useChooseOrganization();
  const switching = useMutation({ mutationFn: switchTo });
  const [isCreating, setIsCreating] = useState(false);
  // Whatever was unlocked may have been of the organization that is out of reach now.
  useEffect(() => void forgetAllKeys(), []);
  const organizations = data?.organizations ?? [];
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader intro={texts.lostIntro} title={texts.lostTitle} />
      <div className="card grid gap-4 p-5 sm:p-6">
        {switching.isError && <ErrorNotice error={switching.error} />}
        <p role="status">{organizations.length > 0 ? texts.lostOthers : texts.lostNone}</p>
        {organizations.length > 0 && (
          <ul aria-label={texts.organizations} className="grid gap-2">
            {organizations.map(({ id, name }) => (
              <li key={id}>
                <Button
                  className="max-w-full"
                  onClick={() => switching.mutate(id)}
                  pending={switching.isPending && switching.variables === id}
                >
                  <bdi className="truncate">{texts.switchTo(name || texts.unnamed)}</bdi>
                </Button>
              </li>
            ))}
          </ul>
        )}
        {data?.canCreate && (
          <div>
            <Button onClick={() => setIsCreating(true)}>{texts.create}</Button>
          </div>
        )}
      </div>
      {isCreating && <CreateOrganization onClose={() => setIsCreating(false)} />}
    </div>
  );
}
