import type { ApiKeyListItem } from "@sealpost/sdk";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { orGone } from "../api/attempt.ts";
import { client } from "../api/client.ts";
import { mayHaveArrived } from "../api/describe-error.ts";
import { queries } from "../api/queries.ts";
import { useSession } from "../session/session.ts";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";

const { apiKeys: texts } = text;

/**
 * Makes keys with `create`, and finds those that were made by a request whose answer was lost. Their values have been
 * seen by nobody, yet they count among the keys that a plan allows.
 */
export function useLostKeys() {
  const queryClient = useQueryClient();
  const { user } = useSession();
  const { data } = useQuery(queries.apiKeys());
  /**
   * Names of requests without an answer; the keys that there were before the first of them, and those whose value was
   * shown.
   */
  const names = useRef(new Set<string>());
  const known = useRef<Set<string>>(undefined);
  const isLost = ({ id, name, maker }: ApiKeyListItem) =>
    names.current.has(name) && maker.id === user.id && known.current?.has(id) === false;
  return {
    lost: data?.keys.filter(isLost) ?? [],
    async create<Made extends { readonly key: { readonly id: string } }>(name: string, create: () => Promise<Made>) {
      const before = queryClient.getQueryData(queries.apiKeys().queryKey)?.keys ?? [];
      known.current ??= new Set(before.map(({ id }) => id));
      try {
        const made = await create();
        known.current.add(made.key.id);
        return made;
      } catch (error) {
        if (mayHaveArrived(error)) names.current.add(name);
        throw error;
      }
    },
  };
}

/** Offers to revoke each of them. */
export function LostKeys({ keys }: { readonly keys: readonly ApiKeyListItem[] }) {
  const queryClient = useQueryClient();
  const revoking = useMutation({
    mutationFn: (id: string) => orGone(() => client.apiKeys.revoke(id), "api_key_not_found"),
    onSettled: () => queryClient.invalidateQueries(queries.apiKeys()),
  });
  return (
    <>
      {revoking.isError && <ErrorNotice error={revoking.error} />}
      {keys.map(({ id, name, prefix }) => (
        <Notice
          action={
            <Button onClick={() => revoking.mutate(id)} pending={revoking.isPending && revoking.variables === id} small>
              {texts.revokeLost}
            </Button>
          }
          key={id}
          role="status"
          title={texts.lost(name, `${prefix}…`)}
          tone="warning"
        >
          {texts.lostHint}
        </Notice>
      ))}
    </>
  );
}
