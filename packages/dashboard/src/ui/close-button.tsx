import { text } from "../texts/text.ts";
import { Button } from "./button.tsx";

/** Ends a dialog in which nothing is left to do. */
export function CloseButton({ onClose }: { readonly onClose: () => void }) {
  return (
    <Button look="primary" onClick={onClose}>
      {text.common.close}
    </Button>
  );
}
