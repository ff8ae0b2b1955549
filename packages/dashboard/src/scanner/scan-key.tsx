import { type RefObject, useEffect, useRef, useState } from "react";
import { text } from "../texts/text.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Notice } from "../ui/notice.tsx";
import { PhotoButton } from "./photo-button.tsx";
import { readQr } from "./read-qr.ts";

const lookMilliseconds = 200;

/** Reads a QR code by camera: that of a recovery sheet, unless the title says another. Pictures are looked at here, kept nowhere, and the camera ends with the dialog. */
export function ScanKey({
  title = text.keys.scanTitle,
  onScanned,
  onClose,
}: {
  readonly title?: string;
  readonly onScanned: (content: string) => void;
  readonly onClose: () => void;
}) {
  const video = useRef<HTMLVideoElement>(null);
  const report = useRef(onScanned);
  report.current = onScanned;
  const isRefused = useCamera(video, report);
  return (
    <Dialog onClose={onClose} title={title}>
      {isRefused ? (
        <Notice role="alert" tone="warning">
          {text.keys.scanRefused}
        </Notice>
      ) : (
        <>
          <p className="text-muted">{text.keys.scanIntro}</p>
          <video
            aria-label={title}
            className="aspect-square w-full rounded-lg bg-black object-cover"
            muted
            playsInline
            ref={video}
          />
        </>
      )}
      <div className="flex flex-wrap gap-2">
        <PhotoButton onRead={(content) => report.current(content)} />
      </div>
    </Dialog>
  );
}

/** Shows what the camera sees, and reports the first code in it. Gives whether there is no camera, or it was not allowed. */
function useCamera(video: RefObject<HTMLVideoElement | null>, report: RefObject<(content: string) => void>): boolean {
  const [isRefused, setIsRefused] = useState(false);
  useEffect(() => {
    let stream: MediaStream | undefined;
    let isOver = false;
    const stop = () => {
      for (const track of stream?.getTracks() ?? []) track.stop();
    };
    const begin = async () => {
      stream = await navigator.mediaDevices.getUserMedia({
        video: { facingMode: "environment", width: { ideal: 1280 } },
      });
      if (isOver || video.current === null) return stop();
      video.current.srcObject = stream;
      await video.current.play();
    };
    begin().catch(() => setIsRefused(!isOver));
    const timer = setInterval(() => {
      const content = video.current === null ? undefined : readQr(video.current);
      if (content === undefined) return;
      clearInterval(timer);
      report.current(content);
    }, lookMilliseconds);
    return () => {
      isOver = true;
      clearInterval(timer);
      stop();
    };
  }, [video, report]);
  return isRefused;
}

export default ScanKey;
