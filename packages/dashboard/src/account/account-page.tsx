import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { sessionApi } from "../api/session-api.ts";
import { forgetAllKeys } from "../keys/keyring.ts";
import { countRememberedKeys } from "../keys/remembered-keys.ts";
import { organizationsQuery, useMay } from "../organization/membership.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import { RevokeApiKeys } from "../session/revoke-api-keys.tsx";
import { hasProvider, useSession } from "../session/session.ts";
import { findText, text } from "../texts/text.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { PasswordField } from "../ui/field.tsx";
import { ErrorNotice, Notice } from "../ui/notice.tsx";
import { Badge, PageHeader, Section } from "../ui/page.tsx";
import { useFieldErrors } from "../ui/use-field-errors.ts";
import { UsageSection } from "../usage/usage-section.tsx";
import { DeleteAccountSection } from "./delete-account.tsx";
import { ExportSection } from "./export-section.tsx";
import { IdentityActions } from "./identity-actions.tsx";
import { LinkedSignIns, LinkOutcome } from "./linked-sign-ins.tsx";
import { MailSection } from "./mail-section.tsx";
import Passkeys from "./passkeys.tsx";
import { SecondFactor } from "./second-factor.tsx";
import { Sessions } from "./sessions.tsx";

const { auditLog, personalKey } = text;

/** Contract, section 3.4: API keys per account. */
const apiKeyLimits: Readonly<Record<string, number>> = { free: 5, starter: 10, pro: 25 };

export function AccountPage() {
  const { user } = useSession();
  const may = useMay();
  // Until they have the second factor that their organization requires, a person sees of it nothing.
  const isLockedOut = useQuery(organizationsQuery).data?.lacksSecondFactor === true;
  const texts = text.account;
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader title={text.pages.account} />
      <div className="grid gap-5">
        {hasProvider() && <LinkOutcome />}
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
        <DeleteAccountSection />
      </div>
    </div>
  );
}

function Password() {
  const queryClient = useQueryClient();
  const { user } = useSession();
  const texts = text.account;
  const changing = useMutation({
    mutationFn: async (change: Parameters<typeof sessionApi.changePassword>[0]) => {
      const { refuseKeyPassphrase } = await import("../personal-key/refuse-key-passphrase.ts");
      await withFreshSession(() => refuseKeyPassphrase(change.newPassword, user.id));
      return withFreshSession(() => sessionApi.changePassword(change));
    },
    // A wrong password is no ended session.
    meta: { isSignIn: true },
    onSuccess: async () => {
      fieldErrors.form.current?.reset();
      await queryClient.invalidateQueries();
    },
  });
  const fieldErrors = useFieldErrors(changing.error, ["currentPassword", "newPassword"]);
  return (
    <Section intro={texts.passwordIntro} title={texts.password}>
      <form
        className="grid max-w-md gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          const data = new FormData(event.currentTarget);
          changing.mutate({
            currentPassword: String(data.get("current")),
            newPassword: String(data.get("new")),
            revokeApiKeys: data.has("revokeApiKeys"),
          });
        }}
        ref={fieldErrors.form}
      >
        {fieldErrors.isElsewhere && <ErrorNotice error={changing.error} />}
        <div className="empty:absolute" role="status">
          {changing.isSuccess && (
            <Notice tone="good">{texts.passwordChanged(changing.data.apiKeysRevoked ?? 0)}</Notice>
          )}
        </div>
        <PasswordField
          autoComplete="current-password"
          error={fieldErrors.at("currentPassword")}
          label={texts.currentPassword}
          name="current"
          required
        />
        <PasswordField
          autoComplete="new-password"
          error={fieldErrors.at("newPassword")}
          hint={text.session.passwordHint}
          label={texts.newPassword}
          maxLength={128}
          minLength={10}
          name="new"
          required
        />
        <RevokeApiKeys />
        <div>
          <Button pending={changing.isPending} type="submit">
            {texts.changePassword}
          </Button>
        </div>
      </form>
    </Section>
  );
}

function RememberedKeys() {
  const count = useQuery({ queryKey: ["remembered-keys"], queryFn: countRememberedKeys, staleTime: 0 });
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
