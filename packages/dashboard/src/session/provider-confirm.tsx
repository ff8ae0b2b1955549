import { useMutation, useQuery } from "@tanstack/react-query";
import { providerApi, providerQuery } from "../api/provider-api.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { ProviderError } from "./identity-provider.tsx";
import { useSession } from "./session.ts";

const { oidc: texts } = text;

/** A sign-in at the identity provider instead of the password; it leads back to this page. Not where a code is asked for. */
export default function ProviderConfirm() {
  const { user } = useSession();
  const provider = useQuery(providerQuery);
  const leaving = useMutation({
    mutationFn: () => providerApi.begin("confirm", { next: window.location.pathname }),
    meta: { changesNothing: true },
    onSuccess: (url) => window.location.assign(url),
  });
  if (provider.data === undefined || user.twoFactorEnabled === true) return null;
  return (
    <div className="grid gap-3">
      {leaving.isError && <ProviderError error={leaving.error} />}
      <div>
        <Button onClick={() => leaving.mutate()} pending={leaving.isPending || leaving.isSuccess}>
          {texts.confirmWith(provider.data.name)}
        </Button>
      </div>
    </div>
  );
}
