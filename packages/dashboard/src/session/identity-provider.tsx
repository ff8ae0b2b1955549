import { ApiError } from "@sealpost/sdk";
import { useMutation, useQuery } from "@tanstack/react-query";
import { providerApi, providerQuery } from "../api/provider-api.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";

const { oidc: texts } = text;

/** Leads to the identity provider, and back to `next`. Loaded only where the operator has set one up. */
export default function ProviderSignIn({
  next,
  invitation,
}: {
  readonly next?: string | undefined;
  readonly invitation?: string | undefined;
}) {
  const provider = useQuery(providerQuery);
  const leaving = useMutation({
    mutationFn: () => providerApi.begin("sign-in", { next, invitation }),
    meta: { isSignIn: true, changesNothing: true },
    onSuccess: (url) => window.location.assign(url),
  });
  if (provider.data === undefined) return null;
  return (
    <div className="grid gap-3 border-line border-t pt-4">
      {leaving.isError && <ProviderError error={leaving.error} />}
      <Button onClick={() => leaving.mutate()} pending={leaving.isPending || leaving.isSuccess}>
        {texts.signInWith(provider.data.name)}
      </Button>
    </div>
  );
}

/** An answer that leads to no provider: it is away, or not set up as it should be. */
export function ProviderError({ error }: { readonly error: unknown }) {
  const code = error instanceof ApiError ? /^identity_provider_(\w+)$/.exec(error.reason ?? "")?.[1] : undefined;
  return code === undefined ? <ErrorNotice error={error} /> : <ProviderNotice code={code} />;
}

const refusals: Readonly<Record<string, readonly [string, string]>> = texts.refusals;

/** Why somebody came back from there without being signed in. */
export function ProviderNotice({ code }: { readonly code: string }) {
  const [title, hint] = (Object.hasOwn(refusals, code) ? refusals[code] : undefined) ?? texts.refusals.refused;
  return (
    <Notice role="alert" title={title} tone="danger">
      {hint}
    </Notice>
  );
}
