const sayMilliseconds = 2_000;

/** A button at each block of code. Only where the browser lets a page write to the clipboard, which takes a secure address. */
export function offerCopies(): void {
  if (navigator.clipboard === undefined) return;
  for (const block of document.querySelectorAll("main pre")) {
    const frame = document.createElement("div");
    frame.className = "code";
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    // The word changes when it was pressed, and that is read out.
    button.setAttribute("aria-live", "polite");
    button.addEventListener("click", () => void copy(block.textContent ?? "", button));
    block.replaceWith(frame);
    frame.append(block, button);
  }
}

async function copy(text: string, button: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(text.replace(/\n$/, ""));
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not copied";
  }
  setTimeout(() => {
    button.textContent = "Copy";
  }, sayMilliseconds);
}
