import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { readAuditFilters } from "./api/audit-filters.ts";
import { readInstanceSearch } from "./instance/instance-search.ts";
import { findAdmissionLink } from "./organization/admission-link.ts";
import { findInvitationToken } from "./organization/invitation-token.ts";
import { organizationsQuery } from "./organization/membership.ts";
import { partOf, routeOf } from "./page-components.tsx";
import { isNext, type PageName, type PageOfForm, type PageOutside, type PagePath, pages } from "./pages.ts";
import { type SignInReason, signInReasons } from "./session/end-page.ts";
import { findSignUpState, sessionQuery } from "./session/session.ts";
import { Frame } from "./shell/frame.tsx";
import { loading } from "./texts/load-page.ts";
import { Crashed, NotFound, NowhereFound, Starting, Unreachable } from "./ui/not-found.tsx";

interface RouterContext {
  readonly queryClient: QueryClient;
}

const root = createRootRouteWithContext<RouterContext>()({
  notFoundComponent: NowhereFound,
});

/** A route for each of these rows and for nothing else. */
type Routes<Name extends PageName> = Readonly<Record<Name, object>>;

interface SignInSearch {
  readonly next?: string | undefined;
  readonly reason?: SignInReason | undefined;
  /** Why the identity provider led back without a session, and what is still to come. */
  readonly oidc?: string | undefined;
  readonly step?: "code" | undefined;
}

const findOutcome = (oidc: unknown) => (typeof oidc === "string" && /^[a-z_]{1,40}$/.test(oidc) ? oidc : undefined);

/** Whether somebody is signed in already. Without the server nobody is: then signing up fails too, and says so. */
const findEmail = async ({ context }: { readonly context: RouterContext }) =>
  (await context.queryClient.ensureQueryData(sessionQuery).catch(() => null))?.user.email;

/** Pages that need no session. */
const outside = {
  signIn: createRoute({
    ...routeOf("signIn"),
    getParentRoute: () => root,
    validateSearch: ({ next, reason, oidc, step }: Record<string, unknown>): SignInSearch => ({
      // Said as `undefined`, or the router keeps what was in the address.
      next: isNext(next) ? next : undefined,
      reason: signInReasons.find((one) => one === reason),
      oidc: findOutcome(oidc),
      step: step === "code" ? step : undefined,
    }),
  }),
  signUp: createRoute({ ...routeOf("signUp"), getParentRoute: () => root, loader: findEmail }),
  setup: createRoute({ ...routeOf("setup"), getParentRoute: () => root, loader: findEmail }),
  resetPassword: createRoute({ ...routeOf("resetPassword"), getParentRoute: () => root }),
  address: createRoute({ ...routeOf("address"), getParentRoute: () => root }),
  invitation: createRoute({ ...routeOf("invitation"), getParentRoute: () => root }),
} satisfies Routes<PageOutside>;

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
    if (findSignUpState() === "first") throw redirect({ to: pages.setup.path, replace: true });
    const isJoining = pathname === pages.join.path;
    const hasLink = findAdmissionLink() !== undefined;
    // The link is also an invitation: to who has no account yet that comes first.
    if (isJoining && hasLink && findInvitationToken() !== undefined)
      throw redirect({ to: pages.invitation.path, replace: true });
    const search: SignInSearch = pathname === pages.forms.path ? {} : { next: pathname + searchStr };
    throw redirect({
      to: pages.signIn.path,
      search: isJoining ? { ...search, reason: hasLink ? "joining" : "joining-words" } : search,
      replace: true,
    });
  },
  errorComponent: ({ error, reset }) => <Unreachable error={error} onRetry={reset} />,
  notFoundComponent: () => <NotFound />,
});

/** Pages below the bar, but for the parts of a form. */
const framed = {
  forms: createRoute({ ...routeOf("forms"), getParentRoute: () => frame }),
  lookAtForms: createRoute({ ...routeOf("lookAtForms"), getParentRoute: () => frame }),
  newForm: createRoute({ ...routeOf("newForm"), getParentRoute: () => frame }),
  apiKeys: createRoute({ ...routeOf("apiKeys"), getParentRoute: () => frame }),
  account: createRoute({
    ...routeOf("account"),
    getParentRoute: () => frame,
    validateSearch: ({ oidc }: Record<string, unknown>): { readonly oidc?: string | undefined } => ({
      oidc: findOutcome(oidc),
    }),
  }),
  yourKey: createRoute({ ...routeOf("yourKey"), getParentRoute: () => frame }),
  members: createRoute({ ...routeOf("members"), getParentRoute: () => frame }),
  instance: createRoute({ ...routeOf("instance"), getParentRoute: () => frame, validateSearch: readInstanceSearch }),
  auditLog: createRoute({ ...routeOf("auditLog"), getParentRoute: () => frame, validateSearch: readAuditFilters }),
  recovery: createRoute({ ...routeOf("recovery"), getParentRoute: () => frame }),
  useRecovery: createRoute({ ...routeOf("useRecovery"), getParentRoute: () => frame }),
  join: createRoute({ ...routeOf("join"), getParentRoute: () => frame }),
  verifyEmail: createRoute({ ...routeOf("verifyEmail"), getParentRoute: () => frame }),
} satisfies Routes<Exclude<PageName, PageOutside | PageOfForm>>;

/** One submission: which is open in the list, or whose deliveries the log shows. Its id and nothing else. */
const validateSubmission = ({
  submission: id,
}: Record<string, unknown>): { readonly submission?: string | undefined } => ({
  submission: typeof id === "string" && /^sub_[0-9a-z]{26}$/.test(id) ? id : undefined,
});

const form = createRoute({
  getParentRoute: () => frame,
  path: pages.submissions.path,
  component: lazyRouteComponent(
    loading(() => import("./form/form-frame.tsx")),
    "FormFrame",
  ),
  notFoundComponent: () => <NotFound isPage={false} />,
});

/** The parts of a form. */
const parts = {
  submissions: createRoute({
    ...partOf("submissions"),
    getParentRoute: () => form,
    validateSearch: validateSubmission,
  }),
  bin: createRoute({ ...partOf("bin"), getParentRoute: () => form }),
  embed: createRoute({ ...partOf("embed"), getParentRoute: () => form }),
  statistics: createRoute({ ...partOf("statistics"), getParentRoute: () => form }),
  webhook: createRoute({ ...partOf("webhook"), getParentRoute: () => form, validateSearch: validateSubmission }),
  formKeys: createRoute({ ...partOf("formKeys"), getParentRoute: () => form }),
  settings: createRoute({ ...partOf("settings"), getParentRoute: () => form }),
} satisfies Routes<PageOfForm>;

const routeTree = root.addChildren({
  ...outside,
  frame: frame.addChildren({ ...framed, form: form.addChildren(parts) }),
});

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

type None<Stray extends never> = Stray;
/** A route at a path that is no row's does not compile. */
export type StrayPath = None<Exclude<keyof ReturnType<typeof createAppRouter>["routesByPath"], PagePath | FormIndex>>;
/** The router writes the first part of a form like this. */
type FormIndex = `${typeof pages.submissions.path}/`;

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
