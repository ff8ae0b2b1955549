/** The text of a QR code in a picture, or why there is none. */
export type PictureReading =
  | { readonly content: string }
  /**
   * `document`: it is a PDF. `empty`: it has no bytes. `huge`: too large to be decoded on a phone. `damaged`: of a kind that every browser knows, and not
   * decoded. `unreadable`: no picture, or of a kind that this browser does not know, as HEIC.
   */
  | { readonly refused: "document" | "empty" | "huge" | "damaged" | "unreadable" | "no_code" };

/** More than a camera makes, uncompressed formats aside. */
const pictureBytesMax = 50_000_000;

/** Reads the QR code in a photo, or in a picture of a page. It is looked at here, and kept nowhere. */
export async function readPicture(file: Blob): Promise<PictureReading> {
  if (file.type === "application/pdf") return { refused: "document" };
  if (file.size === 0) return { refused: "empty" };
  if (file.size > pictureBytesMax) return { refused: "huge" };
  const picture = await createImageBitmap(file).catch(() => undefined);
  if (picture === undefined)
    return { refused: /^image\/(jpeg|png|gif|webp)$/.test(file.type) ? "damaged" : "unreadable" };
  const { readQrOfPicture } = await import("./read-qr.ts");
  const content = readQrOfPicture(picture);
  picture.close();
  return content === undefined ? { refused: "no_code" } : { content };
}
