import { readQr } from "./read-qr.ts";

/** The text of the QR code in a photograph; `undefined` where there is none, or it is no picture. */
export async function readPicture(file: Blob): Promise<string | undefined> {
  const picture = await createImageBitmap(file).catch(() => undefined);
  return picture && readQr(picture);
}
