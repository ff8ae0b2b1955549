import { lockInAllTabs } from "@sealpost/vault";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { showOrganization } from "./api/client.ts";
import { createQueryClient } from "./api/query-client.ts";
import { followTranslation } from "./browser/follow-translation.ts";
import { isPageHeld } from "./browser/held.ts";
import { onSessionChangedElsewhere } from "./browser/sign-out-channel.ts";
import { applyTheme, findTheme } from "./browser/theme.ts";
import { takeAdmissionLink } from "./organization/admission-link.ts";
import { takeInvitationToken } from "./organization/invitation-token.ts";
import { organizationsQuery } from "./organization/membership.ts";
import { isSwitchedElsewhere } from "./organization/use-switch.ts";
import { pages } from "./pages.ts";
import { createAppRouter } from "./router.tsx";
import { sessionQuery, takeSetupToken } from "./session/session.ts";
import { InsecurePage } from "./shell/insecure-page.tsx";
import { takeVerificationToken } from "./sign-in/verification-token.ts";
import { isFocusFree, keepFocus } from "./ui/keep-focus.ts";
import { revealMessages } from "./ui/reveal-messages.ts";
import { ignoreSecondPresses } from "./ui/second-press.ts";

applyTheme(findTheme());
followTranslation();
keepFocus();
ignoreSecondPresses();
revealMessages();
takeSetupToken();
takeVerificationToken();
takeInvitationToken();
takeAdmissionLink();

const queryClient = createQueryClient(
  onSessionEnded,
  () => void queryClient.invalidateQueries(organizationsQuery),
  () => void onOrganizationChanged(),
);
// Who signs in next may act for another organization, and may be another person, for whom this one's key must not stay open.
queryClient.getQueryCache().subscribe((event) => {
  const { queryKey, state } = event.query;
  if (queryKey[0] !== sessionQuery.queryKey[0] || state.data !== null) return;
  showOrganization(undefined);
  if (event.type === "updated" && event.action.type === "success") lockInAllTabs();
});

/** This page shows, and was about to send, what is of the organization before. */
function startAgain(): void {
  window.location.replace("/");
}

async function onOrganizationChanged(): Promise<void> {
  if (await isSwitchedElsewhere().catch(() => false)) startAgain();
}

function onSessionEnded(): void {
  // A page that holds what leaving it would lose says itself that the session has ended.
  if (router.state.location.pathname === pages.signIn.path || isPageHeld()) return;
  queryClient.setQueryData(sessionQuery.queryKey, null);
  const { pathname, searchStr } = router.state.location;
  const next = pathname + searchStr;
  void router.navigate({ to: "/sign-in", search: { next, reason: "ended" }, ignoreBlocker: true });
}

const router = createAppRouter(queryClient);

// Where the link that was followed is gone with its page, the focus goes to the new one instead of back to the top.
router.subscribe("onRendered", ({ pathChanged }) => {
  if (pathChanged && isFocusFree()) document.getElementById("content")?.focus();
});

onSessionChangedElsewhere(() => {
  queryClient.clear();
  queryClient.setQueryData(sessionQuery.queryKey, null);
  void router.navigate({ to: "/sign-in", search: { reason: "signed-out" }, ignoreBlocker: true });
}, startAgain);

function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  );
}

const element = document.getElementById("root");
if (element === null) throw new Error("The page has no root");
createRoot(element).render(<StrictMode>{window.isSecureContext ? <App /> : <InsecurePage />}</StrictMode>);
