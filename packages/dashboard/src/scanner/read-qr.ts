import decodeQR from "qr/decode.js";

/** Above this a side is scaled down: a code on a sheet of paper needs no more, and reading stays quick. */
const sideMax = 1600;
/** For a picture, which is read once: a blurred code is found in a small one, and one far away in a large one alone. */
const pictureSides = [sideMax, 800, 3200];

/** The text of the QR code in a picture, which may be a whole page with a small code; `undefined` where none is found. */
export function readQrOfPicture(picture: ImageBitmap): string | undefined {
  for (const side of pictureSides) {
    const content = readQr(picture, side);
    if (content !== undefined) return content;
  }
  return undefined;
}

/** The text of the QR code in a picture or in the frame that a video shows; `undefined` where none is found. */
export function readQr(source: ImageBitmap | HTMLVideoElement, side = sideMax): string | undefined {
  const [width, height] =
    source instanceof HTMLVideoElement ? [source.videoWidth, source.videoHeight] : [source.width, source.height];
  const scale = Math.min(1, side / Math.max(width, height));
  const [columns, rows] = [Math.round(width * scale), Math.round(height * scale)];
  if (columns === 0 || rows === 0) return undefined;
  const canvas = new OffscreenCanvas(columns, rows);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (context === null) return undefined;
  context.drawImage(source, 0, 0, columns, rows);
  try {
    return decodeQR(context.getImageData(0, 0, columns, rows));
  } catch {
    return undefined; // it throws where it finds nothing
  }
}
