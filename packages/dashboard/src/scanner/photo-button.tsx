import { useRef, useState } from "react";
import { text } from "../texts/text.ts";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { readPicture } from "./read-picture.ts";

/** Takes the code of a sheet or a device from a photo that is there already. One without a readable code gets a sentence that helps. */
export function PhotoButton({ onRead }: { readonly onRead: (content: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [isReading, setIsReading] = useState(false);
  const [refusal, setRefusal] = useState<string>();

  async function take(file: File): Promise<void> {
    setIsReading(true);
    setRefusal(undefined);
    const reading = await readPicture(file);
    setIsReading(false);
    if ("content" in reading) onRead(reading.content);
    else setRefusal(text.keys.pictures[reading.refused]);
  }

  return (
    <>
      <Button onClick={() => input.current?.click()} pending={isReading}>
        {text.keys.photo}
      </Button>
      <input
        accept="image/*"
        aria-label={text.keys.photo}
        className="hidden"
        onChange={({ target }) => {
          if (target.files?.[0]) void take(target.files[0]);
          target.value = "";
        }}
        ref={input}
        type="file"
      />
      {refusal !== undefined && (
        <div className="basis-full">
          <Notice role="alert" tone="warning">
            {refusal}
          </Notice>
        </div>
      )}
    </>
  );
}
