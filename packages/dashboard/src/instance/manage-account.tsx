import { ApiError, type InstanceAccount } from "@sealpost/sdk";
import { useQueryClient } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { FormDialog } from "../form-kit/form-dialog.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { text } from "../texts/text.ts";

const { instance: texts } = text;

type Action = keyof typeof texts.actions;

/** The actions that change something on this account. */
export function listActions({
  disabledAt,
  verified,
  sessions,
  apiKeys,
  operatorSince,
}: InstanceAccount): readonly Action[] {
  const all: readonly (readonly [Action, boolean])[] = [
    ["endSessions", sessions > 0],
    ["revokeKeys", apiKeys > 0],
    ["verify", !verified],
    ["disable", disabledAt === null && operatorSince === null],
    ["enable", disabledAt !== null],
  ];
  return all.flatMap(([action, isOffered]) => (isOffered ? [action] : []));
}

/** One action on an account, with what it does said before. */
export function ManageAccount({
  account,
  onClose,
  onDone,
}: {
  readonly account: InstanceAccount;
  readonly onClose: () => void;
  readonly onDone: (sentence: string) => void;
}) {
  const queryClient = useQueryClient();
  const actions = listActions(account);
  const fields = useFields({
    initial: { action: actions[0], leavesWithoutOwner: false },
    passing: "choice",
    send: async ({ action, leavesWithoutOwner }) => {
      if (action !== undefined) await withFreshSession(() => perform(account.id, action, leavesWithoutOwner));
    },
    onSaved: async (_result, { action }) => {
      await queryClient.invalidateQueries({ queryKey: ["instance"] });
      if (action !== undefined) onDone(texts.done[action]);
    },
  });
  const { action } = fields.values;
  const isOwnerless = fields.error instanceof ApiError && fields.error.reason === "leaves_without_owner";
  return (
    <FormDialog
      action={action === undefined ? texts.manage : texts.actions[action]}
      fields={fields}
      look={action === "enable" || action === "verify" ? "primary" : "danger"}
      onClose={onClose}
      title={texts.manageOf(account.email)}
    >
      {isOwnerless && action === "disable" && (
        <label className="flex items-center gap-2">
          <input {...fields.tick("leavesWithoutOwner")} type="checkbox" /> {texts.withoutOwner}
        </label>
      )}
      <fieldset className="grid gap-3">
        <legend className="sr-only">{texts.manage}</legend>
        {actions.map((one) => (
          <label className="flex items-start gap-3" key={one}>
            <input {...fields.radio("action", one)} className="mt-1" type="radio" value={one} />
            <span>
              <span className="font-medium">{texts.actions[one]}</span>
              <span className="block text-muted text-sm">{texts.effects[one]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {account.operatorSince !== null && <p className="text-muted text-sm">{texts.operatorHint}</p>}
      <p className="text-muted text-sm">{texts.emailed}</p>
    </FormDialog>
  );
}

function perform(id: string, action: Action, leavesWithoutOwner: boolean): Promise<unknown> {
  switch (action) {
    case "disable":
      return client.instance.changeAccount(id, { disabled: true, leavesWithoutOwner });
    case "enable":
      return client.instance.changeAccount(id, { disabled: false });
    case "verify":
      return client.instance.changeAccount(id, { verified: true });
    case "endSessions":
      return client.instance.endSessions(id);
    case "revokeKeys":
      return client.instance.revokeKeys(id);
    default:
      return action satisfies never;
  }
}
