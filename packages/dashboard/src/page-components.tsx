import { lazyRouteComponent, type RouteComponent } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { FormsPage } from "./forms/forms-page.tsx";
import { findOffers } from "./organization/page-offers.ts";
import { ForRoles } from "./organization/role-gate.tsx";
import { type PageName, type Pages, pages } from "./pages.ts";
import { SignInPage } from "./sign-in/sign-in-page.tsx";
import { loading } from "./texts/load-page.ts";

/** A page whose script is fetched when it is needed. */
type LoadedLater = RouteComponent & { readonly preload: () => Promise<void> | undefined };

function later<Name extends string>(
  fetchPage: () => Promise<Readonly<Record<Name, () => ReactNode>>>,
  name: Name,
): LoadedLater {
  return lazyRouteComponent(loading(fetchPage), name) as LoadedLater; // it gives every such component its `preload`
}

/** The component of each row of the manifest; of a page that is not loaded first, where it is fetched. */
const components: {
  readonly [Name in PageName]: Pages[Name] extends { readonly isLoadedFirst: true } ? () => ReactNode : LoadedLater;
} = {
  forms: FormsPage,
  apiKeys: later(() => import("./api-keys/api-keys-page.tsx"), "ApiKeysPage"),
  account: later(() => import("./account/account-page.tsx"), "AccountPage"),
  yourKey: later(() => import("./your-key/your-key-page.tsx"), "YourKeyPage"),
  members: later(() => import("./members/members-page.tsx"), "MembersPage"),
  instance: later(() => import("./instance/instance-page.tsx"), "InstancePage"),
  auditLog: later(() => import("./account/audit-log-page.tsx"), "AuditLogPage"),
  recovery: later(() => import("./recovery/recovery-page.tsx"), "RecoveryPage"),
  useRecovery: later(() => import("./recovery/use-recovery-page.tsx"), "UseRecoveryPage"),
  join: later(() => import("./admissions/join-page.tsx"), "JoinPage"),
  verifyEmail: later(() => import("./sign-in/verify-email-page.tsx"), "VerifyEmailPage"),

  lookAtForms: later(() => import("./readers/look-at-forms-page.tsx"), "LookAtFormsPage"),
  newForm: later(() => import("./forms/new-form.tsx"), "NewForm"),
  submissions: later(() => import("./submissions/submissions-page.tsx"), "SubmissionsPage"),
  bin: later(() => import("./submissions/bin-page.tsx"), "BinPage"),
  embed: later(() => import("./forms/embed-page.tsx"), "EmbedPage"),
  statistics: later(() => import("./statistics/statistics-page.tsx"), "StatisticsPage"),
  webhook: later(() => import("./webhooks/webhook-page.tsx"), "WebhookPage"),
  formKeys: later(() => import("./key-versions/keys-page.tsx"), "KeysPage"),
  settings: later(() => import("./forms/settings-page.tsx"), "SettingsPage"),

  signIn: SignInPage,
  signUp: later(() => import("./sign-in/sign-up-page.tsx"), "SignUpPage"),
  setup: later(() => import("./sign-in/sign-up-page.tsx"), "SignUpPage"),
  resetPassword: later(() => import("./sign-in/reset-password-page.tsx"), "ResetPasswordPage"),
  address: later(() => import("./sign-in/address-page.tsx"), "AddressPage"),
  invitation: later(() => import("./members/invitation-page.tsx"), "InvitationPage"),
};

/** Path and component for the route of a page. Roles that are offered none of its operations read that in its place. */
export function routeOf<Name extends PageName>(name: Name) {
  return { path: pages[name].path as Pages[Name]["path"], component: forRoles(name, components[name]) }; // of this row
}

type FormPart<Path> = Path extends `/forms/$formId/${infer Part}` ? Part : "/";

/** The same for a part of a form, below the route of the form's frame, which looks at the role itself. */
export function partOf<Name extends PageName>(name: Name) {
  const part = pages[name].path.replace(/^\/forms\/\$formId\/?/, "") || "/";
  return { path: part as FormPart<Pages[Name]["path"]>, component: components[name] as RouteComponent }; // as the type says it
}

function forRoles(name: PageName, Page: RouteComponent): RouteComponent {
  const offers = findOffers(name);
  if (offers === undefined) return Page;
  const ForRole = (): ReactNode => (
    <ForRoles offers={offers}>
      <Page />
    </ForRoles>
  );
  return Object.assign(ForRole, Page.preload && { preload: Page.preload });
}
