/** A download that no browser takes for a page. */
export function download(name: string, content: BlobPart): void {
  const url = URL.createObjectURL(new Blob([content], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken hold of the bytes when the click returns, but Safari only a moment later.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
