import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { FormsPage } from "./forms/forms-page.tsx";
import { SignInPage } from "./session/sign-in-page.tsx";
import { SignUpPage } from "./session/sign-up-page.tsx";
import { Frame } from "./shell/frame.tsx";
import { Crashed, NotFound } from "./shell/not-found.tsx";

const root = createRootRoute();

interface SignInSearch {
  readonly next?: string;
  readonly reason?: "ended" | "signed-out";
}

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  component: SignInPage,
  validateSearch: ({ next, reason }: Record<string, unknown>): SignInSearch => ({
    // A path of the app, and nothing that a browser could take for another site.
    ...(typeof next === "string" && /^\/(?!\/)[\w/-]*$/.test(next) && { next }),
    ...((reason === "ended" || reason === "signed-out") && { reason }),
  }),
});
const setup = createRoute({ getParentRoute: () => root, path: "/setup", component: SignUpPage });
const signUp = createRoute({ getParentRoute: () => root, path: "/sign-up", component: SignUpPage });

const frame = createRoute({ getParentRoute: () => root, id: "frame", component: Frame });
const forms = createRoute({ getParentRoute: () => frame, path: "/", component: FormsPage });
const newForm = createRoute({
  getParentRoute: () => frame,
  path: "/forms/new",
  component: lazyRouteComponent(() => import("./forms/new-form-page.tsx"), "NewFormPage"),
});
const form = createRoute({
  getParentRoute: () => frame,
  path: "/forms/$formId",
  component: lazyRouteComponent(() => import("./forms/form-frame.tsx"), "FormFrame"),
});
const submissions = createRoute({
  getParentRoute: () => form,
  path: "/",
  component: lazyRouteComponent(() => import("./submissions/submissions-page.tsx"), "SubmissionsPage"),
});
const embed = createRoute({
  getParentRoute: () => form,
  path: "embed",
  component: lazyRouteComponent(() => import("./forms/embed-page.tsx"), "EmbedPage"),
});
const apiKeys = createRoute({
  getParentRoute: () => frame,
  path: "/api-keys",
  component: lazyRouteComponent(() => import("./api-keys/api-keys-page.tsx"), "ApiKeysPage"),
});
const account = createRoute({
  getParentRoute: () => frame,
  path: "/account",
  component: lazyRouteComponent(() => import("./account/account-page.tsx"), "AccountPage"),
});

const routeTree = root.addChildren([
  signIn,
  setup,
  signUp,
  frame.addChildren([forms, newForm, form.addChildren([submissions, embed]), apiKeys, account]),
]);

export function createAppRouter() {
  return createRouter({
    routeTree,
    defaultPreload: "intent",
    defaultNotFoundComponent: () => <NotFound />,
    defaultErrorComponent: () => <Crashed />,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
