import type { SignerDifferences } from "@sealpost/envelope";
import { compareHybrid, type Form, findNewestKey, type FormKey as PublishedKey, pinOf } from "@sealpost/sdk";
import { provesFingerprint } from "@sealpost/vault";
import { formatKeyLogHead } from "@sealpost/wire";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { embedStyleQuery, keyLogScriptQuery } from "../form/embed-file.ts";
import { createSnippets, type SnippetKeyLog } from "../form/embed-snippets.ts";
import { useKeyLog } from "../key-log/key-log-query.ts";
import { isSameKey } from "../key-log/logged-key.ts";
import { useOwnLog } from "../key-log/own-log.ts";
import { useSignerDifferences } from "../key-log/signer-differences.ts";
import { useKeys } from "../keys/keyring.ts";

/** The snippets of a form by what was chosen, and what is known of its key. */
export function useSnippets(form: Form) {
  const formKeys = useQuery(queries.keys(form.id));
  const newest = findNewestKey(formKeys.data ?? []);
  const held = useKeys(form.id);
  const fingerprint = newest && pinOf(newest, held);
  const [wantsPin, setWantsPin] = useState(true);
  const [wantsKeyLog, setWantsKeyLog] = useState(true);
  const [wantsStyle, setWantsStyle] = useState(true);
  const isPinned = wantsPin && form.settings.encryption && fingerprint !== undefined;
  const { data: style, isPending: isStylePending } = useQuery(embedStyleQuery);
  const { keyLog, differences, failed, isAwaited } = useSnippetKeyLog(form, newest);
  const snippets = createSnippets(
    form,
    isPinned ? [fingerprint] : [],
    window.location.origin,
    (wantsStyle && style) || undefined,
    isPinned && wantsKeyLog ? keyLog : undefined,
  );
  return {
    snippets,
    formKeys,
    held,
    isAwaited: formKeys.isPending || isAwaited,
    isWithheld: newest !== undefined && compareHybrid(newest, held) !== undefined,
    // A snippet without a pin is chosen by its owner, never given because the server does not answer.
    isPinUnknown: form.settings.encryption && fingerprint === undefined,
    // Somebody who can write to the database could have put their own key there: only a key brought here proves it is ours.
    isProved: provesFingerprint(held, fingerprint),
    pin: { isWanted: wantsPin, set: setWantsPin },
    style: { isPending: isStylePending, isOffered: Boolean(style), isWanted: wantsStyle, set: setWantsStyle },
    keyLog: { isOffered: isPinned && keyLog !== undefined, isWanted: wantsKeyLog, set: setWantsKeyLog },
    differences,
    failed,
  };
}

interface SnippetChoice {
  readonly keyLog?: SnippetKeyLog | undefined;
  /** Keys that may sign the next entry, and that nobody vouches for here; and owners who are left out. */
  readonly differences: SignerDifferences | undefined;
  /** Whether it is still asked for. */
  readonly isAwaited: boolean;
  readonly failed?: { readonly error: Error; readonly retry: () => unknown } | undefined;
}

/**
 * Where the form has a key log that is in order, and names the newest key. A page that names an entry takes whatever its signers make of it: so only
 * one that owners and managers of the list alone continue, that leaves no owner out, and whose key is open here: the server could have made another up.
 */
function useSnippetKeyLog(form: Form, newest: PublishedKey | undefined): SnippetChoice {
  const { data, isPending } = useKeyLog(form.id);
  const log = data?.kind === "checked" ? data.log : undefined;
  const isSame = log !== undefined && newest !== undefined && isSameKey(log.entry.key, newest);
  const { data: differences, ...checking } = useSignerDifferences(form.id, isSame ? log : undefined);
  const isOwn = useOwnLog(form.id, isSame ? log : undefined);
  const isUsable = isSame && isOwn === true && differences?.wrong.length === 0 && differences.missing.length === 0;
  const { data: script, isLoading } = useQuery({ ...keyLogScriptQuery, enabled: isUsable });
  return {
    keyLog: isUsable && script ? { pin: formatKeyLogHead(log.head), script } : undefined,
    differences: isSame ? differences : undefined,
    isAwaited: isPending || checking.isLoading || (isSame && isOwn === undefined) || isLoading,
    failed: checking.isLoadingError ? { error: checking.error, retry: checking.refetch } : undefined,
  };
}
