import "./app.css";
import { loadFirstTexts, loadLaterTexts } from "./texts/load-texts.ts";

// The app begins once it has texts. Its script is on its way since the page named it (`modulepreload`, `vite-config.ts`).
void loadFirstTexts().then(() => {
  // A page that needs these asks for them again, and says so if they do not arrive.
  loadLaterTexts().catch(() => undefined);
  return import("./app.tsx");
});
