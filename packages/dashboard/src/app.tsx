import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { showOrganization } from "./api/client.ts";
import { createQueryClient } from "./api/query-client.ts";
import type { Session } from "./api/session-api.ts";
import { followTranslation } from "./browser/follow-translation.ts";
import { isPageHeld } from "./browser/held.ts";
import { onSessionChangedElsewhere, tellSignedIn } from "./browser/session-channel.ts";
import { applyTheme, findTheme } from "./browser/theme.ts";
import { forgetOthers } from "./keys/forget-others.ts";
import { takeAdmissionLink } from "./organization/admission-link.ts";
import { takeInvitationToken } from "./organization/invitation-token.ts";
import { organizationsQuery } from "./organization/membership.ts";
import { isSwitchedElsewhere } from "./organization/use-switch.ts";
import { pages } from "./pages.ts";
import { createAppRouter } from "./router.tsx";
import { endPage, leavePage, lockAllKeys } from "./session/end-page.ts";
import { findPagePerson, setPagePerson } from "./session/page-person.ts";
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
queryClient.getQueryCache().subscribe((event) => {
  const { queryKey, state } = event.query;
  if (queryKey[0] !== sessionQuery.queryKey[0]) return;
  // Who signs in next may act for another organization.
  if (state.data === null) showOrganization(undefined);
  if (event.type === "updated" && event.action.type === "success") onSession(state.data);
});

function onSession(session: Session | null): void {
  const isFirst = findPagePerson() === undefined;
  if (session === null) {
    if (isFirst) lockAllKeys();
    else onSessionEnded();
  } else if (isFirst) begin(session.user.id);
  else onPerson(session.user.id);
}

function begin(person: string): void {
  setPagePerson(person);
  tellSignedIn(person);
  void forgetOthers(person);
}

/** Somebody is signed in, by this page or another: what is of another person ends. */
function onPerson(id: string): void {
  const person = findPagePerson();
  if (person === undefined || person === id) return;
  lockAllKeys();
  const { pathname, search } = router.state.location;
  void leavePage(pathname === pages.signIn.path ? (search.next ?? "/") : "/");
}

/** This page shows, and was about to send, what is of the organization before. */
async function onOrganizationChanged(): Promise<void> {
  if (await isSwitchedElsewhere().catch(() => false)) window.location.replace("/");
}

function onSessionEnded(): void {
  const { pathname, searchStr } = router.state.location;
  if (pathname === pages.signIn.path || isEndingSession()) return;
  // A page that holds what leaving it would lose says itself that the session has ended.
  if (isPageHeld()) lockAllKeys();
  else void endPage("ended", pathname + searchStr);
}

/** Whatever ends the session here leads on by itself, after what is left to do. */
function isEndingSession(): boolean {
  return queryClient.isMutating({ predicate: ({ meta }) => meta?.endsSession === true }) > 0;
}

const router = createAppRouter(queryClient);

// Where the link that was followed is gone with its page, the focus goes to the new one instead of back to the top.
router.subscribe("onRendered", ({ pathChanged }) => {
  if (pathChanged && isFocusFree()) document.getElementById("content")?.focus();
});

onSessionChangedElsewhere({
  onSignedIn: onPerson,
  onSignedOut() {
    if (findPagePerson() !== undefined) void endPage("signed-out");
  },
  onSwitched: () => window.location.replace("/"),
});

// A page that comes back out of the browser's history heard nothing in the meantime, not even a lock: it starts over.
window.addEventListener("pageshow", ({ persisted }) => {
  if (persisted) window.location.reload();
});

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
