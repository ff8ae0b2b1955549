import { isOwnLog } from "@sealpost/sdk/envelopes";
import { sureKeys } from "@sealpost/vault";
import type { FormId, VerifiedKeyLog } from "@sealpost/wire";
import { useQuery } from "@tanstack/react-query";
import { loadHeads } from "../envelopes/heads.ts";
import { useKeys } from "../keys/keyring.ts";
import { findOpenHalves } from "../personal-key/personal-key.ts";
import { usePersonalKey } from "../personal-key/use-personal-key.ts";
import { useSession } from "../session/session.ts";

/** Whether a page may pin this log, which the server could have made up: by the form's keys that are open here, and the person's key. `undefined` while that is not known. */
export function useOwnLog(formId: string, log: VerifiedKeyLog | undefined): boolean | undefined {
  const held = sureKeys(useKeys(formId));
  const { user } = useSession();
  // Knowledge of the own key changes when it is unlocked.
  const { kind } = usePersonalKey();
  const names = held.map(({ fingerprint, hybrid, replyKey }) => [fingerprint, hybrid?.fingerprint, replyKey].join());
  const { data, isError } = useQuery({
    queryKey: ["form", formId, "key-log", "own", user.id, log?.head.hash, kind, names],
    queryFn: async () => {
      if (log === undefined) throw new Error("Nothing to check yet");
      const heads = await loadHeads(user.id, findOpenHalves());
      const signingKey = (await heads.findPublicHalves(user.id))?.signingKey ?? "";
      return isOwnLog({ heads, own: { signingKey } }, formId as FormId, log, held); // the server names no other
    },
    enabled: log !== undefined,
    staleTime: 0,
  });
  return isError ? false : data;
}
