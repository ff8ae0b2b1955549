import { queryOptions, useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import { sessionApi } from "../api/session-api.ts";
import { pages } from "../pages.ts";

/** Not asked again when the window gets the focus: the next request notices an ended session and knows what to do. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: sessionApi.find,
  staleTime: 60_000,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
});

/**
 * Who is signed in. Only for pages inside the frame, which shows nothing before that is known, nor after the session has ended: what is
 * drawn then, until the page has ended too, keeps who it was.
 */
export function useSession() {
  const { data } = useQuery(sessionQuery);
  const known = useRef(data);
  if (data) known.current = data;
  if (!known.current) throw new Error("There is no session here");
  return known.current;
}

export type SignUpState = "first" | "open" | "closed";

/** Whether accounts can be made, as the server wrote it into the page. */
export function findSignUpState(): SignUpState {
  const content = document.querySelector<HTMLMetaElement>('meta[name="sealpost-sign-up"]')?.content;
  if (content === "first-open") return "first";
  return content === "first" || content === "open" ? content : "closed";
}

/** Whether the server sends emails, as it wrote into the page. */
export function hasMail(): boolean {
  return document.querySelector<HTMLMetaElement>('meta[name="sealpost-mail"]')?.content === "on";
}

/** Whether people can sign in with the operator's identity provider. */
export function hasProvider(): boolean {
  return document.querySelector<HTMLMetaElement>('meta[name="sealpost-oidc"]')?.content === "on";
}

/** Whether others may sign up after the first account was made. */
export function isOpenAfterSetup(): boolean {
  return document.querySelector<HTMLMetaElement>('meta[name="sealpost-sign-up"]')?.content === "first-open";
}

/** For how many days this instance keeps its log of deliveries. */
export function findDeliveryLogDays(): number {
  return Number(document.querySelector<HTMLMetaElement>('meta[name="sealpost-delivery-log-days"]')?.content ?? 30);
}

/** The first account was just made: the page as it was served does not know yet. */
export function closeSetup(): void {
  window.sessionStorage.removeItem(setupTokenKey);
  const meta = document.querySelector<HTMLMetaElement>('meta[name="sealpost-sign-up"]');
  if (meta?.content === "first") meta.content = "closed";
  if (meta?.content === "first-open") meta.content = "open";
}

const setupTokenKey = "sealpost-setup-token";

/**
 * The one-time token of the set-up address. Read once when the app starts, and taken out of the address at once, so that
 * it stays in no history and is in nobody's way when the screen is shared. The tab keeps it until the account is made: the
 * address without it is of no use after a reload or the way back.
 */
export function takeSetupToken(): void {
  const url = new URL(window.location.href);
  const token = url.searchParams.get("token");
  if (url.pathname !== pages.setup.path || token === null) return;
  if (token !== "" && findSignUpState() === "first") window.sessionStorage.setItem(setupTokenKey, token);
  url.searchParams.delete("token");
  window.history.replaceState(window.history.state, "", url);
}
export const findSetupToken = (): string | undefined => window.sessionStorage.getItem(setupTokenKey) ?? undefined;
