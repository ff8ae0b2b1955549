import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "../app.css";
import { OpenerPage } from "./opener-page.tsx";

// A reload leaves the id of a submission in the address; the files are gone with the page.
if (window.location.hash !== "") window.history.replaceState(null, "", window.location.pathname);

const element = document.getElementById("root");
if (element === null) throw new Error("The page has no root");
createRoot(element).render(
  <StrictMode>
    {/* For the dialogs of the dashboard, which show what is under way by it. Nothing here asks a server. */}
    <QueryClientProvider client={new QueryClient({ defaultOptions: { mutations: { networkMode: "always" } } })}>
      <OpenerPage />
    </QueryClientProvider>
  </StrictMode>,
);
