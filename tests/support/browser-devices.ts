import type { Page } from "playwright-core";
import { encode } from "uqr";

/**
 * A device with a screen lock that its owner opens: every passkey that is asked for, or offered, is used at once. With `hasPrf` its passkeys
 * have the extension PRF, with which a file can be sealed.
 */
export async function addAuthenticator(page: Page, { hasPrf = false }: { readonly hasPrf?: boolean } = {}) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable", { enableUI: false });
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      hasPrf,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    setLock: (isUserVerified: boolean) =>
      devtools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified }),
    count: async () => (await devtools.send("WebAuthn.getCredentials", { authenticatorId })).credentials.length,
    remove: () => devtools.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId }),
  };
}

/** A picture (PNG) of a text's QR code. */
export async function drawCode(page: Page, text: string): Promise<Buffer> {
  const drawn = await page.evaluate(
    (rows) => {
      const canvas = document.createElement("canvas");
      const side = 8;
      canvas.width = canvas.height = rows.length * side;
      const context = canvas.getContext("2d");
      for (const [top, row] of rows.entries())
        for (const [left, isDark] of row.entries()) {
          if (context === null) throw new Error("There is no canvas");
          context.fillStyle = isDark ? "#000" : "#fff";
          context.fillRect(left * side, top * side, side, side);
        }
      return canvas.toDataURL("image/png");
    },
    encode(text, { border: 4 }).data,
  );
  return Buffer.from(drawn.split(",")[1] ?? "", "base64");
}

/** Chooses a photo (PNG unless said) from the device's library where a code can be scanned. */
export function choosePhoto(page: Page, name: string, buffer: Buffer, mimeType = "image/png"): Promise<void> {
  return page.getByLabel("Choose a photo of it").and(page.locator("input")).setInputFiles({ name, mimeType, buffer });
}

/** The page's camera sees this picture (PNG) from now on, turned a little. */
export function showToCamera(page: Page, picture: Buffer): Promise<void> {
  return page.evaluate((data) => {
    const image = new Image();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [800, 800];
    image.src = `data:image/png;base64,${data}`;
    const draw = () => {
      const context = canvas.getContext("2d");
      context?.setTransform(1, 0, 0, 1, 0, 0);
      context?.fillRect(0, 0, 800, 800);
      context?.translate(400, 400);
      context?.rotate(0.1);
      context?.drawImage(image, -300, -300, 600, 600);
      requestAnimationFrame(draw);
    };
    image.onload = draw;
    navigator.mediaDevices.getUserMedia = async () => canvas.captureStream();
  }, picture.toString("base64"));
}
