/** The text of a QR code in a picture, or why there is none. */
export type PictureReading =
  | { readonly content: string }
  /** `document`: it is a PDF. `unreadable`: no picture, or of a kind that this browser does not know, as HEIC. */
  | { readonly refused: "document" | "unreadable" | "no_code" };

/** Reads the QR code in a photo, or in a picture of a page. It is looked at here, and kept nowhere. */
export async function readPicture(file: Blob): Promise<PictureReading> {
  if (file.type === "application/pdf") return { refused: "document" };
  const picture = await createImageBitmap(file).catch(() => undefined);
  if (picture === undefined) return { refused: "unreadable" };
  const { readQrOfPicture } = await import("./read-qr.ts");
  const content = readQrOfPicture(picture);
  picture.close();
  return content === undefined ? { refused: "no_code" } : { content };
}
