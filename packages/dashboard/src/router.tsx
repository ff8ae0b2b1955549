import type { QueryClient } from "@tanstack/react-query";
import {
  type AsyncRouteComponent,
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import type { ReactNode } from "react";
import { readAuditFilters } from "./account/audit-filters.ts";
import { findAdmissionLink } from "./admissions/admission-link.ts";
import { FormsPage } from "./forms/forms-page.tsx";
import { readInstanceSearch } from "./instance/instance-search.ts";
import { findInvitationToken } from "./members/invitation-token.ts";
import { organizationsQuery } from "./members/membership.ts";
import type { Offer } from "./members/offers.ts";
import { ForRoles } from "./members/role-gate.tsx";
import { findSignUpState, sessionQuery } from "./session/session.ts";
import { SignInPage } from "./session/sign-in-page.tsx";
import { Frame } from "./shell/frame.tsx";
import { loading } from "./shell/load-page.ts";
import { Crashed, NotFound, NowhereFound, Starting, Unreachable } from "./shell/not-found.tsx";

interface RouterContext {
  readonly queryClient: QueryClient;
}

const root = createRootRouteWithContext<RouterContext>()({
  notFoundComponent: NowhereFound,
});

const signInReasons = ["ended", "signed-out", "leaving", "joining"] as const;
type SignInReason = (typeof signInReasons)[number];

interface SignInSearch {
  readonly next?: string | undefined;
  readonly reason?: SignInReason | undefined;
  /** Why the identity provider led back without a session, and what is still to come. */
  readonly oidc?: string | undefined;
  readonly step?: "code" | undefined;
}

const findOutcome = (oidc: unknown) => (typeof oidc === "string" && /^[a-z_]{1,40}$/.test(oidc) ? oidc : undefined);

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  component: SignInPage,
  validateSearch: ({ next, reason, oidc, step }: Record<string, unknown>): SignInSearch => ({
    // A path of the app, perhaps with the submission that is open there, and nothing that a browser could take for another
    // site. Said as `undefined`, or the router keeps what was in the address.
    next: typeof next === "string" && /^\/(?!\/)[\w/-]*(\?submission=\w+)?$/.test(next) ? next : undefined,
    reason: signInReasons.find((one) => one === reason),
    oidc: findOutcome(oidc),
    step: step === "code" ? step : undefined,
  }),
});
/** Seen once, if at all: no part of the first load. */
const SignUpPage = lazyRouteComponent(
  loading(() => import("./session/sign-up-page.tsx")),
  "SignUpPage",
);
/** Whether somebody is signed in already. Without the server nobody is: then signing up fails too, and says so. */
const findEmail = async ({ context }: { readonly context: RouterContext }) =>
  (await context.queryClient.ensureQueryData(sessionQuery).catch(() => null))?.user.email;
const setup = createRoute({
  getParentRoute: () => root,
  path: "/setup",
  loader: findEmail,
  component: (): ReactNode => <SignUpPage email={setup.useLoaderData()} />,
});
const signUp = createRoute({
  getParentRoute: () => root,
  path: "/sign-up",
  loader: findEmail,
  component: (): ReactNode => <SignUpPage email={signUp.useLoaderData()} />,
});
const resetPassword = createRoute({
  getParentRoute: () => root,
  path: "/reset-password",
  component: lazyRouteComponent(
    loading(() => import("./session/reset-password-page.tsx")),
    "ResetPasswordPage",
  ),
});
const address = createRoute({
  getParentRoute: () => root,
  path: "/address",
  component: lazyRouteComponent(
    loading(() => import("./session/address-page.tsx")),
    "AddressPage",
  ),
});
const invitation = createRoute({
  getParentRoute: () => root,
  path: "/invitation",
  component: lazyRouteComponent(
    loading(() => import("./members/invitation-page.tsx")),
    "InvitationPage",
  ),
});

/** A page that only some roles see; the others read that here. */
function forRoles(offer: Offer, Page: AsyncRouteComponent<object>) {
  const ForRole = (): ReactNode => (
    <ForRoles offer={offer}>
      <Page />
    </ForRoles>
  );
  return Object.assign(ForRole, Page.preload && { preload: Page.preload });
}

const frame = createRoute({
  getParentRoute: () => root,
  id: "frame",
  component: Frame,
  beforeLoad: async ({ context: { queryClient }, location: { pathname, searchStr } }) => {
    if ((await queryClient.ensureQueryData(sessionQuery)) !== null) {
      // Without it everything is offered, and the service decides.
      await queryClient.ensureQueryData(organizationsQuery).catch(() => undefined);
      return;
    }
    if (findSignUpState() === "first") throw redirect({ to: "/setup", replace: true });
    const isJoining = pathname === "/join" && findAdmissionLink() !== undefined;
    // The link is also an invitation: to who has no account yet that comes first.
    if (isJoining && findInvitationToken() !== undefined) throw redirect({ to: "/invitation", replace: true });
    const search: SignInSearch = pathname === "/" ? {} : { next: pathname + searchStr };
    throw redirect({ to: "/sign-in", search: isJoining ? { ...search, reason: "joining" } : search, replace: true });
  },
  errorComponent: ({ error, reset }) => <Unreachable error={error} onRetry={reset} />,
  notFoundComponent: () => <NotFound />,
});
const forms = createRoute({ getParentRoute: () => frame, path: "/", component: FormsPage });
const newForm = createRoute({
  getParentRoute: () => frame,
  path: "/forms/new",
  component: forRoles(
    "createForm",
    lazyRouteComponent(
      loading(() => import("./forms/new-form.tsx")),
      "NewForm",
    ),
  ),
});
const form = createRoute({
  getParentRoute: () => frame,
  path: "/forms/$formId",
  component: lazyRouteComponent(
    loading(() => import("./forms/form-frame.tsx")),
    "FormFrame",
  ),
  notFoundComponent: () => <NotFound isPage={false} />,
});
/** One submission: which is open in the list, or whose deliveries the log shows. Its id and nothing else. */
const validateSubmission = ({
  submission: id,
}: Record<string, unknown>): { readonly submission?: string | undefined } => ({
  submission: typeof id === "string" && /^sub_[0-9a-z]{26}$/.test(id) ? id : undefined,
});
const submissions = createRoute({
  getParentRoute: () => form,
  path: "/",
  validateSearch: validateSubmission,
  component: lazyRouteComponent(
    loading(() => import("./submissions/submissions-page.tsx")),
    "SubmissionsPage",
  ),
});
const bin = createRoute({
  getParentRoute: () => form,
  path: "bin",
  component: lazyRouteComponent(
    loading(() => import("./submissions/bin-page.tsx")),
    "BinPage",
  ),
});
const embed = createRoute({
  getParentRoute: () => form,
  path: "embed",
  component: lazyRouteComponent(
    loading(() => import("./forms/embed-page.tsx")),
    "EmbedPage",
  ),
});
const statistics = createRoute({
  getParentRoute: () => form,
  path: "statistics",
  component: lazyRouteComponent(
    loading(() => import("./statistics/statistics-page.tsx")),
    "StatisticsPage",
  ),
});
const webhook = createRoute({
  getParentRoute: () => form,
  path: "webhook",
  component: lazyRouteComponent(
    loading(() => import("./webhooks/webhook-page.tsx")),
    "WebhookPage",
  ),
  validateSearch: validateSubmission,
});
const formKeys = createRoute({
  getParentRoute: () => form,
  path: "keys",
  component: lazyRouteComponent(
    loading(() => import("./keys/keys-page.tsx")),
    "KeysPage",
  ),
});
const settings = createRoute({
  getParentRoute: () => form,
  path: "settings",
  component: lazyRouteComponent(
    loading(() => import("./forms/settings-page.tsx")),
    "SettingsPage",
  ),
});
const apiKeys = createRoute({
  getParentRoute: () => frame,
  path: "/api-keys",
  component: forRoles(
    "listApiKeys",
    lazyRouteComponent(
      loading(() => import("./api-keys/api-keys-page.tsx")),
      "ApiKeysPage",
    ),
  ),
});
const account = createRoute({
  getParentRoute: () => frame,
  path: "/account",
  validateSearch: ({ oidc }: Record<string, unknown>): { readonly oidc?: string | undefined } => ({
    oidc: findOutcome(oidc),
  }),
  component: lazyRouteComponent(
    loading(() => import("./account/account-page.tsx")),
    "AccountPage",
  ),
});
const yourKey = createRoute({
  getParentRoute: () => frame,
  path: "/account/key",
  component: lazyRouteComponent(
    loading(() => import("./personal-key/your-key-page.tsx")),
    "YourKeyPage",
  ),
});
const join = createRoute({
  getParentRoute: () => frame,
  path: "/join",
  component: lazyRouteComponent(
    loading(() => import("./admissions/join-page.tsx")),
    "JoinPage",
  ),
});
const members = createRoute({
  getParentRoute: () => frame,
  path: "/members",
  component: forRoles(
    "listMembers",
    lazyRouteComponent(
      loading(() => import("./members/members-page.tsx")),
      "MembersPage",
    ),
  ),
});
const recovery = createRoute({
  getParentRoute: () => frame,
  path: "/recovery",
  component: forRoles(
    "listMembers",
    lazyRouteComponent(
      loading(() => import("./recovery/recovery-page.tsx")),
      "RecoveryPage",
    ),
  ),
});
const useRecovery = createRoute({
  getParentRoute: () => frame,
  path: "/recovery/use",
  component: forRoles(
    "setRecoveryRule",
    lazyRouteComponent(
      loading(() => import("./recovery/use-recovery-page.tsx")),
      "UseRecoveryPage",
    ),
  ),
});
const auditLog = createRoute({
  getParentRoute: () => frame,
  path: "/audit-log",
  validateSearch: readAuditFilters,
  component: forRoles(
    "listAuditEntries",
    lazyRouteComponent(
      loading(() => import("./account/audit-log-page.tsx")),
      "AuditLogPage",
    ),
  ),
});

const instance = createRoute({
  getParentRoute: () => frame,
  path: "/instance",
  validateSearch: readInstanceSearch,
  component: lazyRouteComponent(
    loading(() => import("./instance/instance-page.tsx")),
    "InstancePage",
  ),
});

const verifyEmail = createRoute({
  getParentRoute: () => frame,
  path: "/verify-email",
  component: lazyRouteComponent(
    loading(() => import("./session/verify-email-page.tsx")),
    "VerifyEmailPage",
  ),
});

const routeTree = root.addChildren([
  signIn,
  setup,
  signUp,
  resetPassword,
  address,
  invitation,
  frame.addChildren([
    forms,
    newForm,
    form.addChildren([submissions, bin, embed, statistics, webhook, formKeys, settings]),
    apiKeys,
    members,
    recovery,
    useRecovery,
    account,
    yourKey,
    join,
    auditLog,
    instance,
    verifyEmail,
  ]),
]);

export function createAppRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    defaultPreload: "intent",
    defaultNotFoundComponent: () => <NotFound />,
    defaultErrorComponent: ({ error }) => <Crashed error={error} />,
    defaultPendingComponent: Starting,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
