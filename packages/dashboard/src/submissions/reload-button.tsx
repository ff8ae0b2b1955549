import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";

/** Loads the page again, where a part of it did not arrive. */
export function ReloadButton() {
  return (
    <Button onClick={() => window.location.reload()} small>
      {text.submissions.reload}
    </Button>
  );
}
