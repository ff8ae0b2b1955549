import "../app.css";
import { loadFirstTexts, loadLaterTexts } from "../texts/load-texts.ts";

// All of it is in the one file, and is evaluated once there are texts.
void Promise.all([loadFirstTexts(), loadLaterTexts()]).then(() => import("./opener.tsx"));
