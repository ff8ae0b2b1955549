import { useMutation, useQueryClient } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { queries } from "../api/queries.ts";
import { useMay } from "../organization/membership.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { UsageMeter } from "./usage-meter.tsx";

const { usage: texts } = text;

export type Shared = NonNullable<Awaited<ReturnType<typeof client.account.usage>>["shared"]>;

/** Whether the storage is that of the person's one organization, and not of one that counts for somebody else or shares its storage. */
export function isOfAccount(shared: Pick<Shared, "countsFor" | "organizations"> | null): boolean {
  return shared === null || (shared.countsFor === "you" && shared.organizations.length < 2);
}

/** Shows whose storage the organization counts towards, and what else does: this is why it can be full while storing little itself. */
export function SharedUsage({ shared, max }: { readonly shared: Shared; readonly max: number }) {
  const queryClient = useQueryClient();
  const may = useMay();
  const taking = useMutation({
    mutationFn: () => withFreshSession(() => client.account.takeOverUsage()),
    onSuccess: () => queryClient.invalidateQueries(queries.usage()),
  });
  const { countsFor, name, percent, otherPercent, organizations } = shared;
  const isAlone = organizations.length < 2 && countsFor !== "owner";
  return (
    <div className="grid gap-3">
      {countsFor === "former_owner" && (
        <Notice
          action={
            may("takeOverUsage") && (
              <Button onClick={() => taking.mutate()} pending={taking.isPending}>
                {texts.takeOver}
              </Button>
            )
          }
          title={<bdi>{texts.leftBy(name)}</bdi>}
          tone="info"
        >
          <p>{texts.leftMeans}</p>
          {may("takeOverUsage") && <p>{texts.takeOverMeans}</p>}
        </Notice>
      )}
      {taking.isError && <ErrorNotice error={taking.error} />}
      <p className={taking.isSuccess ? "" : "sr-only"} role="status">
        {taking.isSuccess && texts.takenOver}
      </p>
      {countsFor === "owner" && (
        <p>
          <bdi>{texts.countsForOwner(name)}</bdi> {texts.together(percent)}
        </p>
      )}
      {countsFor === "you" && !isAlone && <p>{texts.countsForYou(percent)}</p>}
      {otherPercent >= 80 && <p>{texts.otherNear(otherPercent)}</p>}
      {!isAlone && organizations.length > 0 && (
        <>
          <h3 className="font-medium text-sm">{texts.sharing}</h3>
          {organizations.map(({ id, name: label, bytes, otherBytes }) => (
            <UsageMeter bytes={bytes + otherBytes} key={id} label={label} max={max} />
          ))}
        </>
      )}
    </div>
  );
}
