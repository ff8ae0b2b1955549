import { useRef, useState } from "react";
import { text } from "../texts/text.ts";
import { Button, type ButtonLook } from "./button.tsx";
import { UploadIcon } from "./icons.tsx";

/** Takes files: chosen by the button, or dropped around it. */
export function DropZone({
  label,
  look = "primary",
  pending = false,
  onFiles,
}: {
  readonly label: string;
  readonly look?: ButtonLook;
  readonly pending?: boolean;
  /** Never called without a file. */
  readonly onFiles: (files: readonly File[]) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);

  function give(files: FileList | null): void {
    if (files !== null && files.length > 0) onFiles([...files]);
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut for the button inside
    <div
      className={`flex flex-wrap items-center justify-center gap-x-3 gap-y-2 rounded-lg border border-dashed px-4 py-6 ${isOver ? "border-accent bg-accent-soft" : "border-line-strong bg-sunken"}`}
      onDragLeave={() => setIsOver(false)}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDrop={(event) => {
        event.preventDefault();
        setIsOver(false);
        give(event.dataTransfer.files);
      }}
    >
      <Button icon={<UploadIcon />} look={look} onClick={() => input.current?.click()} pending={pending}>
        {label}
      </Button>
      <span className="pointer-coarse:hidden text-muted">{text.common.orDrop}</span>
      <input
        aria-label={label}
        className="hidden"
        multiple
        onChange={({ target }) => {
          give(target.files);
          target.value = "";
        }}
        ref={input}
        type="file"
      />
    </div>
  );
}
