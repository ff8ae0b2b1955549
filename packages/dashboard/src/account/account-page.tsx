import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { sessionApi } from "../api/session-api.ts";
import { FieldsForm } from "../form-kit/fields-form.tsx";
import { useFields } from "../form-kit/use-fields.ts";
import { forgetAllKeys } from "../keys/keyring.ts";
import { countRememberedKeys } from "../keys/remembered-keys.ts";
import { LeaveSection } from "../organization/leave-section.tsx";
import { organizationsQuery, useMay } from "../organization/membership.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { RevokeApiKeys } from "../session/revoke-api-keys.tsx";
import { hasProvider, useSession } from "../session/session.ts";
import { findText, text } from "../texts/text.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { PasswordField } from "../ui/field.tsx";
import { Notice } from "../ui/notice.tsx";
import { Badge, PageHeader, Section } from "../ui/page.tsx";
import { UsageSection } from "../usage/usage-section.tsx";
import { DeleteAccountSection } from "./delete-account.tsx";
import { ExportSection } from "./export-section.tsx";
import { IdentityActions } from "./identity-actions.tsx";
import { LinkedSignIns, LinkOutcome } from "./linked-sign-ins.tsx";
import { MailSection } from "./mail-section.tsx";
import Passkeys from "./passkeys.tsx";
import { SecondFactor } from "./second-factor.tsx";
import { Sessions } from "./sessions.tsx";
import { useSessionCheck } from "./use-session-check.ts";

const { auditLog, personalKey } = text;

/** Contract, section 3.4: API keys per account. */
const apiKeyLimits: Readonly<Record<string, number>> = { free: 5, starter: 10, pro: 25 };

export function AccountPage() {
  const may = useMay();
  // Until they have the second factor that their organization requires, a person sees of it nothing.
  const isLockedOut = useQuery(organizationsQuery).data?.lacksSecondFactor === true;
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader title={text.pages.account} />
      <div className="in-order grid gap-5">
        {hasProvider() && <LinkOutcome />}
        <Identity />
        {may("getUsage") && !isLockedOut && <UsageSection />}
        <Password />
        <SecondFactor />
        <Passkeys />
        <Section intro={personalKey.sectionIntro} title={text.pages.yourKey}>
          <Link className={buttonClass()} to="/account/key">
            {personalKey.link}
          </Link>
        </Section>
        {hasProvider() && <LinkedSignIns />}
        {may("getAccountNotifications") && !isLockedOut && <MailSection />}
        <Sessions />
        <RememberedKeys />
        {may("listAuditEntries") && !isLockedOut && (
          <Section intro={auditLog.sectionIntro} title={text.pages.auditLog}>
            <Link className={buttonClass()} to="/audit-log">
              {auditLog.link}
            </Link>
          </Section>
        )}
        <ExportSection />
        {(isLockedOut || !may("listMembers")) && <LeaveSection />}
        <DeleteAccountSection />
      </div>
    </div>
  );
}

function Identity() {
  const { user } = useSession();
  const texts = text.account;
  return (
    <Section title={texts.identity}>
      <dl className="grid gap-x-6 gap-y-2 sm:grid-cols-[10rem_1fr]">
        {/* An account that the operator made may have none. */}
        {user.name !== "" && (
          <>
            <dt className="text-muted">{texts.name}</dt>
            <dd>
              <bdi>{user.name}</bdi>
            </dd>
          </>
        )}
        <dt className="text-muted">{texts.email}</dt>
        <dd>{user.email}</dd>
        <dt className="text-muted">{texts.id}</dt>
        <dd className="break-all font-mono text-sm" translate="no">
          {user.id}
        </dd>
        {user.plan !== undefined && <Plan plan={user.plan} />}
      </dl>
      <IdentityActions />
    </Section>
  );
}

function Password() {
  const queryClient = useQueryClient();
  const { user } = useSession();
  const texts = text.account;
  const checkSession = useSessionCheck("password");
  const fields = useFields({
    initial: { currentPassword: "", newPassword: "", revokeApiKeys: true },
    passing: "secret",
    isSignIn: true, // a wrong password is no ended session
    send: async (change) => {
      const { refuseKeyPassphrase } = await import("../personal-key/refuse-key-passphrase.ts");
      await withFreshSession(() => refuseKeyPassphrase(change.newPassword, user.id));
      return checkSession(() => withFreshSession(() => sessionApi.changePassword(change)));
    },
    onSaved: async () => {
      fields.empty();
      await queryClient.invalidateQueries();
    },
  });
  return (
    <Section intro={texts.passwordIntro} title={texts.password}>
      <FieldsForm className="grid max-w-md gap-4" fields={fields}>
        <div className="empty:absolute" role="status">
          {fields.isSent && <Notice tone="good">{texts.passwordChanged(fields.result?.apiKeysRevoked ?? 0)}</Notice>}
        </div>
        <PasswordField
          {...fields.secret("currentPassword")}
          autoComplete="current-password"
          label={texts.currentPassword}
          required
        />
        <PasswordField
          {...fields.secret("newPassword")}
          autoComplete="new-password"
          hint={text.session.passwordHint}
          label={texts.newPassword}
          maxLength={128}
          minLength={10}
          required
        />
        <RevokeApiKeys {...fields.tick("revokeApiKeys")} />
        <div>
          <Button pending={fields.isPending} type="submit">
            {texts.changePassword}
          </Button>
        </div>
      </FieldsForm>
    </Section>
  );
}

function RememberedKeys() {
  const { user } = useSession();
  const count = useQuery({ queryKey: ["remembered-keys"], queryFn: () => countRememberedKeys(user.id), staleTime: 0 });
  const forgetting = useMutation({ mutationFn: forgetAllKeys, onSuccess: () => count.refetch() });
  const texts = text.account;
  return (
    <Section intro={texts.keysHereIntro} title={texts.keysHere}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p role="status">{count.data ? texts.rememberedKeys(count.data) : texts.noKeysHere}</p>
        {(count.data ?? 0) > 0 && (
          <Button onClick={() => forgetting.mutate()} pending={forgetting.isPending}>
            {texts.forgetKeys}
          </Button>
        )}
      </div>
    </Section>
  );
}

function Plan({ plan }: { readonly plan: string }) {
  const texts = text.account;
  const limit = apiKeyLimits[plan];
  return (
    <>
      <dt className="text-muted">{texts.plan}</dt>
      <dd>
        <Badge tone="good">{findText(text.plans, plan) ?? plan}</Badge>
        <p className="mt-1 text-muted text-sm">
          {texts.planHint(findText(text.plans, plan) ?? plan, limit === undefined ? texts.unlimited : String(limit))}
        </p>
      </dd>
    </>
  );
}
