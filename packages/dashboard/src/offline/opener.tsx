import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { text } from "../texts/text.ts";
import { keepFocus } from "../ui/keep-focus.ts";
import { revealMessages } from "../ui/reveal-messages.ts";
import { ignoreSecondPresses } from "../ui/second-press.ts";
import { OpenerPage } from "./opener-page.tsx";

keepFocus();
ignoreSecondPresses();
revealMessages();
document.title = text.offline.title;

// A reload leaves the id of a submission in the address; the files are gone with the page.
if (window.location.hash !== "") window.history.replaceState(null, "", window.location.pathname);

const element = document.getElementById("root");
if (element === null) throw new Error("The page has no root");
const root = createRoot(element);
root.render(
  <StrictMode>
    {/* For the dialogs of the dashboard, which show what is under way by it. Nothing here asks a server. */}
    <QueryClientProvider client={new QueryClient({ defaultOptions: { mutations: { networkMode: "always" } } })}>
      <OpenerPage />
    </QueryClientProvider>
  </StrictMode>,
);

// A page that is left may be kept for the browser's Back, with keys and answers: it is emptied, and starts over.
window.addEventListener("pagehide", () => root.unmount());
window.addEventListener("pageshow", ({ persisted }) => {
  if (persisted) window.location.reload();
});
