import type { InstanceAccount } from "@sealpost/sdk";
import { Link } from "@tanstack/react-router";
import { useSession } from "../session/session.ts";
import { formatDate } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Badge } from "../ui/page.tsx";
import { InstanceInvitations } from "./instance-invitations.tsx";
import { InstanceList } from "./instance-list.tsx";
import { accountsOf } from "./instance-queries.ts";
import { listActions, ManageAccount } from "./manage-account.tsx";

const { instance: texts } = text;

/** The persons who can sign in, or could; and who is invited. */
export function AccountList() {
  return (
    <div className="grid gap-5">
      <InstanceInvitations />
      <InstanceList
        dialog={(account, onClose, onDone) => <ManageAccount account={account} onClose={onClose} onDone={onDone} />}
        label={texts.views.accounts}
        pageOf={accountsOf}
        row={(account, onOpen) => <Row account={account} key={account.id} onManage={onOpen} />}
        sorts={["newest", "address"]}
      />
    </div>
  );
}

function Row({ account, onManage }: { readonly account: InstanceAccount; readonly onManage: () => void }) {
  const { id, name, email, createdAt, disabledAt, verified, secondFactor, operatorSince } = account;
  const { user } = useSession();
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-3 py-3.5">
      <div className="grid min-w-0 grow basis-64 gap-1">
        <p className="flex flex-wrap items-center gap-2">
          <bdi className="min-w-0 break-all font-medium">{email}</bdi>
          {id === user.id && <Badge>{texts.you}</Badge>}
          {operatorSince !== null && <Badge tone="good">{texts.operator}</Badge>}
          {disabledAt !== null && <Badge tone="warning">{texts.disabled}</Badge>}
          {!verified && <Badge>{texts.unverified}</Badge>}
          {operatorSince !== null && !secondFactor && <Badge tone="warning">{texts.noSecondFactor}</Badge>}
        </p>
        <p className="min-w-0 wrap-anywhere text-muted text-sm">
          {name !== "" && (
            <>
              <bdi>{name}</bdi> ·{" "}
            </>
          )}
          {texts.accountLine(account.organizations, account.sessions, account.apiKeys)} · {formatDate(createdAt)}
        </p>
      </div>
      {id === user.id ? (
        <Link className={buttonClass("secondary", true)} to="/account">
          {texts.yourAccount}
        </Link>
      ) : (
        listActions(account).length > 0 && (
          <Button aria-label={texts.manageOf(email)} onClick={onManage} small>
            {texts.manage}
          </Button>
        )
      )}
    </li>
  );
}
