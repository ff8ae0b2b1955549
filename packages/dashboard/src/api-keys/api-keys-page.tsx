import type { ApiKeyListItem } from "@sealpost/sdk";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { orGone } from "../api/attempt.ts";
import { client } from "../api/client.ts";
import { isKept } from "../api/is-kept.ts";
import { queries } from "../api/queries.ts";
import { ActionDialog } from "../form-kit/action-dialog.tsx";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { HelpLink } from "../ui/help-link.tsx";
import { KeyIcon, PlusIcon } from "../ui/icons.tsx";
import { ErrorNotice } from "../ui/notice.tsx";
import { Badge, Empty, PageHeader, Skeleton } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";
import { CreateApiKey } from "./create-api-key.tsx";
import { KeyLimits } from "./key-limits.tsx";

export function ApiKeysPage() {
  const keys = useQuery(queries.apiKeys());
  const [isCreating, setIsCreating] = useState(false);
  const [revoking, setRevoking] = useState<ApiKeyListItem>();
  const texts = text.apiKeys;
  const createButton = (
    <Button icon={<PlusIcon />} look="primary" onClick={() => setIsCreating(true)}>
      {texts.create}
    </Button>
  );
  return (
    <>
      <PageHeader
        actions={(keys.data?.total ?? 0) > 0 && createButton}
        intro={
          <>
            {texts.intro} <HelpLink page="api">{texts.guideLink}</HelpLink>
          </>
        }
        title={text.pages.apiKeys}
      />
      {keys.isError && <ErrorNotice error={keys.error} onRetry={() => keys.refetch()} />}
      {(keys.isPending || (keys.data?.total === 0 && isKept(keys))) && (
        <div aria-busy="true" className="card grid gap-3 p-5">
          <p className="sr-only">{text.common.loading}</p>
          <Skeleton className="h-5 w-40" />
          <Skeleton className="h-4 w-72" />
        </div>
      )}
      {keys.data?.total === 0 && !isKept(keys) && (
        <div className="card">
          <Empty action={createButton} icon={<KeyIcon className="size-6" />} title={texts.emptyTitle}>
            {texts.emptyIntro}
          </Empty>
        </div>
      )}
      {keys.data !== undefined && keys.data.total > 0 && (
        <ul className="card divide-y divide-line">
          {keys.data.keys.map((key) => (
            <KeyRow apiKey={key} key={key.id} onRevoke={() => setRevoking(key)} />
          ))}
        </ul>
      )}
      {isCreating && <CreateApiKey onClose={() => setIsCreating(false)} />}
      {revoking !== undefined && <RevokeApiKey apiKey={revoking} onClose={() => setRevoking(undefined)} />}
    </>
  );
}

function KeyRow({ apiKey, onRevoke }: { readonly apiKey: ApiKeyListItem; readonly onRevoke: () => void }) {
  const texts = text.apiKeys;
  const { name, prefix, lastUsed, createdAt, maker, permissions } = apiKey;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3.5 sm:px-5">
      <div className="min-w-0 grow basis-64">
        <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <bdi className="font-medium">{name}</bdi>
          <code className="font-mono text-muted text-sm" translate="no">
            {prefix}…
          </code>
        </div>
        <p className="mt-0.5 text-muted text-sm">
          {lastUsed === null ? (
            texts.neverUsed
          ) : (
            <>
              {texts.lastUsed}
              <Time at={Date.parse(lastUsed)} />
            </>
          )}
          {" · "}
          {texts.created}
          <Time at={Date.parse(createdAt)} />
          {maker.name && (
            <>
              {texts.by}
              <bdi className="wrap-anywhere">{maker.name}</bdi>
            </>
          )}
        </p>
        <KeyLimits apiKey={apiKey} />
        <div className="mt-2 flex flex-wrap gap-1.5" translate="no">
          {permissions.map((permission) => (
            <Badge key={permission}>{permission}</Badge>
          ))}
        </div>
      </div>
      <Button onClick={onRevoke} small>
        {texts.revoke}
      </Button>
    </li>
  );
}

function RevokeApiKey({ apiKey, onClose }: { readonly apiKey: ApiKeyListItem; readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  const revoking = useMutation({
    mutationFn: () => orGone(() => client.apiKeys.revoke(apiKey.id), "api_key_not_found"),
    onSuccess: async () => {
      await queryClient.invalidateQueries(queries.apiKeys());
      onClose();
    },
  });
  return (
    <ActionDialog
      action={text.apiKeys.revoke}
      isPending={revoking.isPending}
      look="danger"
      onClose={onClose}
      onConfirm={() => revoking.mutate()}
      title={text.apiKeys.revokeTitle(apiKey.name)}
    >
      <p>{text.apiKeys.revokeIntro}</p>
      {revoking.isError && <ErrorNotice error={revoking.error} />}
    </ActionDialog>
  );
}
