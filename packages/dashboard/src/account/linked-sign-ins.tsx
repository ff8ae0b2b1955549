import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { orGone } from "../api/attempt.ts";
import { identitiesQuery, type LinkedIdentity, providerApi, providerQuery } from "../api/provider-api.ts";
import { RemovalDialog } from "../form-kit/removal-dialog.tsx";
import { withFreshSession } from "../session/fresh-session.tsx";
import { ProviderError, ProviderNotice } from "../session/identity-provider.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Section, Skeleton } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";

const { oidc: texts } = text;

/** The outcome of linking with the provider, at the head of the page, where one comes back to. */
export function LinkOutcome() {
  const { oidc: outcome } = useSearch({ from: "/frame/account" });
  if (outcome === undefined) return null;
  if (outcome !== "linked") return <ProviderNotice code={outcome} />;
  return (
    <Notice role="status" tone="good">
      {texts.linked}
    </Notice>
  );
}

/** The people of identity providers who can sign in to this account. */
export function LinkedSignIns() {
  const provider = useQuery(providerQuery);
  const linked = useQuery(identitiesQuery);
  const [unlinking, setUnlinking] = useState<LinkedIdentity>();
  const linking = useMutation({
    mutationFn: () => withFreshSession(() => providerApi.begin("link", {})),
    meta: { changesNothing: true },
    onSuccess: (url) => window.location.assign(url),
  });
  const name = provider.data?.name ?? "";
  const isLinked = linked.data?.identities.some(({ isOfProvider }) => isOfProvider) === true;
  return (
    <Section intro={texts.sectionIntro(name)} title={texts.section}>
      <div className="grid gap-4">
        {linked.isPending && <Skeleton className="h-10 w-full" />}
        {linked.isError && <ErrorNotice error={linked.error} onRetry={() => linked.refetch()} />}
        {linking.isError && <ProviderError error={linking.error} />}
        {linked.data?.hasPassword === false && <p>{texts.noPassword}</p>}
        <ul aria-label={texts.section} className="divide-y divide-line empty:hidden">
          {linked.data?.identities.map((identity) => (
            <LinkedSignIn identity={identity} key={identity.id} onUnlink={() => setUnlinking(identity)} />
          ))}
        </ul>
        {linked.isSuccess && !isLinked && (
          <div>
            <Button onClick={() => linking.mutate()} pending={linking.isPending || linking.isSuccess}>
              {texts.linkWith(name)}
            </Button>
          </div>
        )}
      </div>
      {unlinking !== undefined && <Unlink identity={unlinking} onClose={() => setUnlinking(undefined)} />}
    </Section>
  );
}

function LinkedSignIn({ identity, onUnlink }: { readonly identity: LinkedIdentity; readonly onUnlink: () => void }) {
  const { name, linkedAt, usedAt, isOfProvider } = identity;
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 py-2.5">
      <div className="min-w-0">
        <p className="break-all">{name || texts.nameless}</p>
        <p className="text-muted text-sm">
          {texts.linkedOn}
          <Time at={linkedAt} />
          {", "}
          {usedAt === null ? texts.neverUsed : texts.usedOn}
          {usedAt !== null && <Time at={usedAt} />}
        </p>
        {!isOfProvider && <p className="text-muted text-sm">{texts.ofAnother}</p>}
      </div>
      <Button aria-label={texts.unlinkOf(name || texts.nameless)} onClick={onUnlink} small>
        {texts.unlink}
      </Button>
    </li>
  );
}

function Unlink({ identity, onClose }: { readonly identity: LinkedIdentity; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const ending = useMutation({
    mutationFn: () => orGone(() => withFreshSession(() => providerApi.unlink(identity.id)), "identity_not_found"),
    onSuccess: async () => {
      await queries.invalidateQueries();
      onClose();
      // "Your sign-in is linked" is no longer true.
      await navigate({ to: "/account", replace: true, resetScroll: false });
    },
  });
  return (
    <RemovalDialog
      action={texts.unlink}
      onClose={onClose}
      removing={ending}
      title={texts.unlinkOf(identity.name || texts.nameless)}
    >
      <p>{texts.unlinkIntro}</p>
    </RemovalDialog>
  );
}
