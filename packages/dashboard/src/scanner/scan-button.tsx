import { type ComponentProps, lazy, Suspense, useState } from "react";
import { Button } from "../ui/button.tsx";

/** Loaded when somebody asks for it: reading codes is a program of its own. */
const ScanKey = lazy(() => import("./scan-key.tsx"));

/** Takes a QR code by camera, in a dialog that ends with the first one. Not there where the browser has no cameras, as on a page without HTTPS. */
export function ScanButton({
  title,
  onScanned,
  ...button
}: {
  /** The dialog's title; by default that of a recovery sheet. */
  readonly title?: string;
  readonly onScanned: (content: string) => void;
} & Pick<ComponentProps<typeof Button>, "children" | "look" | "small">) {
  const [isScanning, setIsScanning] = useState(false);
  if (!("mediaDevices" in navigator)) return null;
  return (
    <>
      <Button {...button} onClick={() => setIsScanning(true)} />
      {isScanning && (
        <Suspense>
          <ScanKey
            onClose={() => setIsScanning(false)}
            onScanned={(content) => {
              setIsScanning(false);
              onScanned(content);
            }}
            {...(title !== undefined && { title })}
          />
        </Suspense>
      )}
    </>
  );
}
