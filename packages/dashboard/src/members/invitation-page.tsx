import type { FoundInvitation } from "@sealpost/sdk";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { client } from "../api/client.ts";
import { findAdmissionLink, holdLinks } from "../organization/admission-link.ts";
import { findInvitationToken, forgetInvitationToken } from "../organization/invitation-token.ts";
import { pages } from "../pages.ts";
import { useChooseOrganization } from "../personal-key/choose-organization.ts";
import { leavePage } from "../session/end-page.ts";
import { sessionQuery } from "../session/session.ts";
import { SessionFrame } from "../sign-in/session-frame.tsx";
import { SignIn } from "../sign-in/sign-in-page.tsx";
import { SignUpForm } from "../sign-in/sign-up-page.tsx";
import { useSignOut } from "../sign-in/use-sign-out.ts";
import { isUsedLink } from "../sign-in/used-link.ts";
import { formatDateTime } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { ErrorNotice, Loading, Notice } from "../ui/notice.tsx";
import { findInvitation } from "./find-invitation.ts";

const { invitation: texts } = text;

/** Where the link of an invitation leads, no matter who is signed in: to accepting it, or to what is in the way. */
export function InvitationPage() {
  const [token] = useState(findInvitationToken);
  const [person, setPerson] = useState(0);
  // After a sign-in everything that was asked before is forgotten, and the page begins again.
  return <Invitation key={person} onSignedIn={() => setPerson(person + 1)} token={token} />;
}

function Invitation({ token, onSignedIn }: { readonly token: string | undefined; readonly onSignedIn: () => void }) {
  const session = useQuery(sessionQuery);
  const found = useQuery({
    queryKey: ["invitation", token],
    queryFn: async () => (await findInvitation(token ?? "")) ?? null,
    enabled: token !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  // Another link that is pasted into the address loads no page by itself.
  useEffect(() => {
    const startAgain = () => window.location.reload();
    window.addEventListener("hashchange", startAgain);
    return () => window.removeEventListener("hashchange", startAgain);
  }, []);
  if (token === undefined) return <DeadEnd hint={texts.incompleteHint} title={texts.incomplete} />;
  const failed = [found, session].find(({ isLoadingError }) => isLoadingError);
  if (failed !== undefined)
    return (
      <SessionFrame intro="" title={text.pages.invitation}>
        <ErrorNotice error={failed.error} onRetry={() => failed.refetch()} />
      </SessionFrame>
    );
  if (found.data === undefined || session.data === undefined)
    return (
      <SessionFrame intro="" title={text.pages.invitation}>
        <Loading>{texts.loading}</Loading>
      </SessionFrame>
    );
  if (found.data === null)
    return findAdmissionLink() === undefined ? (
      <DeadEnd hint={texts.invalidHint} title={texts.invalid} />
    ) : (
      <DeadEnd action={texts.usedKeyNext} hint={texts.usedKeyHint} title={texts.invalid} to="/join" />
    );
  const own = session.data?.user.email;
  if (own === undefined) return <Join invitation={found.data} onSignedIn={onSignedIn} token={token} />;
  if (own.toLowerCase() !== found.data.email) return <OtherAddress invitation={found.data} own={own} />;
  if (found.data.organization === null) return <DeadEnd hint={texts.signedInAs(own)} title={texts.hasAccount} />;
  return <Accept invitation={found.data} token={token} />;
}

const titleOf = ({ organization }: FoundInvitation): string =>
  organization === null ? texts.accountTitle : texts.joinTitle(organization.name || texts.unnamed);

function introOf({ role, expiresAt }: FoundInvitation): string {
  const invited = role === null ? texts.accountIntro : texts.intro(texts.as[role]);
  const steps = findAdmissionLink() === undefined ? [] : [texts.keyNext];
  return [invited, ...steps, texts.until(formatDateTime(expiresAt))].join(" ");
}

function DeadEnd({
  title,
  hint,
  action = text.common.toStart,
  to = "/",
}: {
  readonly title: string;
  readonly hint: string;
  readonly action?: string;
  readonly to?: "/" | "/join";
}) {
  return (
    <SessionFrame intro={hint} title={title}>
      <Link className={buttonClass("primary")} onClick={forgetInvitationToken} to={to}>
        {action}
      </Link>
    </SessionFrame>
  );
}

/** After the account comes the key, where somebody has made a link or words for it. */
async function findNext(): Promise<"/" | "/join"> {
  if (findAdmissionLink() !== undefined) return "/join";
  const own = await client.admissions.listOwn().catch(() => []);
  return own.length > 0 ? "/join" : "/";
}

const listOrganizations = async () => (await client.organizations.list()).organizations;

interface FoundProps {
  readonly invitation: FoundInvitation;
  readonly token: string;
}

/** For who is not signed in: an account for the invited address; to join an organization, a sign-in with it as well. */
function Join({ invitation, token, onSignedIn }: FoundProps & { readonly onSignedIn: () => void }) {
  const [hasAccount, setHasAccount] = useState(false);
  const frame = { email: invitation.email, title: titleOf(invitation), intro: introOf(invitation) };
  const isToInstance = invitation.organization === null;
  const other = (label: string): ReactNode => (
    <Button look="quiet" onClick={() => setHasAccount(!hasAccount)}>
      {label}
    </Button>
  );
  return hasAccount ? (
    <SignIn
      {...frame}
      emailHint={texts.fixedEmail}
      invitation={token}
      next={pages.invitation.path}
      notice={<Notice>{texts.signInFirst}</Notice>}
      onSignedIn={onSignedIn}
    >
      {other(texts.noAccount)}
    </SignIn>
  ) : (
    <SignUpForm
      invited={{
        ...frame,
        token,
        action: isToInstance ? texts.createAccount : texts.newAccount,
        emailHint: texts.fixedEmail,
      }}
      findNext={findNext}
      isFirst={false}
      onSignedUp={forgetInvitationToken}
    >
      {!isToInstance && other(texts.haveAccount)}
    </SignUpForm>
  );
}

function OtherAddress({ invitation, own }: { readonly invitation: FoundInvitation; readonly own: string }) {
  const [putLinksBack] = useState(holdLinks);
  const signOut = useSignOut(() => {
    putLinksBack();
    return leavePage();
  });
  return (
    <SessionFrame intro={introOf(invitation)} title={titleOf(invitation)}>
      <div className="grid gap-4">
        <p>{texts.otherAddress(invitation.email, own)}</p>
        {signOut.isError && <ErrorNotice error={signOut.error} />}
        <Button look="primary" onClick={() => signOut.mutate()} pending={signOut.isPending}>
          {texts.signOut}
        </Button>
        <Link className={buttonClass()} to="/">
          {texts.notNow}
        </Link>
      </div>
    </SessionFrame>
  );
}

function Accept({ invitation, token }: FoundProps) {
  const switchTo = useChooseOrganization();
  const navigate = useNavigate();
  const [joined, setJoined] = useState<string>();
  const before = useRef<ReadonlySet<string>>(undefined);
  const accept = async () => {
    before.current ??= new Set((await listOrganizations()).map(({ id }) => id));
    try {
      return await client.invitations.accept(token);
    } catch (error) {
      // Used by the press before, whose answer was lost, or in another tab: then the person is a member.
      const { current } = before;
      const isNew = ({ id, name }: { readonly id: string; readonly name: string }) =>
        current?.has(id) === false && name === invitation.organization?.name;
      const found = isUsedLink(error) ? (await listOrganizations()).find(isNew) : undefined;
      if (found === undefined) throw error;
      return found.id;
    }
  };
  const accepting = useMutation({
    mutationFn: async () => {
      // Where only switching failed, it is accepted already.
      const id = joined ?? (await accept());
      setJoined(id);
      forgetInvitationToken();
      const to = await findNext();
      await switchTo(id);
      if (to !== "/") await navigate({ to, ignoreBlocker: true });
    },
  });
  return (
    <SessionFrame intro={introOf(invitation)} title={titleOf(invitation)}>
      <div className="grid gap-4">
        <p className="text-muted">{texts.signedInAs(invitation.email)}</p>
        {accepting.isError && <ErrorNotice error={accepting.error} isRepeatable />}
        <Button look="primary" onClick={() => accepting.mutate()} pending={accepting.isPending}>
          {texts.accept}
        </Button>
        <Link className={buttonClass()} to="/">
          {texts.notNow}
        </Link>
      </div>
    </SessionFrame>
  );
}
