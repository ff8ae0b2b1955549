import { writeFileSync } from "node:fs";
import type { Page } from "playwright-core";

const side = 800;

/** Chromium's own fake camera: it shows a file that it reads whenever a page turns the camera on. */
export interface Camera {
  readonly file: string;
  /** Holds this picture (PNG) before the camera, turned a little. `page` draws it, and may be any. */
  show(page: Page, picture: Buffer): Promise<void>;
}

export function createCamera(file: string): Camera {
  writeFileSync(file, toVideo(Buffer.alloc(side * side, 128)));
  return {
    file,
    async show(page, picture) {
      writeFileSync(file, toVideo(await draw(page, picture)));
    },
  };
}

/** The brightness of each pixel, as one sees it in a room: grey around the paper, which nobody holds straight. */
async function draw(page: Page, picture: Buffer): Promise<Buffer> {
  const pixels = await page.evaluate(
    async ([data, size]) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [size, size];
      const context = canvas.getContext("2d");
      if (context === null) throw new Error("No canvas");
      context.fillStyle = "#808080";
      context.fillRect(0, 0, size, size);
      context.translate(size / 2, size / 2);
      context.rotate(0.1);
      context.drawImage(image, -300, -300, 600, 600);
      const { data: rgba } = context.getImageData(0, 0, size, size);
      let text = "";
      for (let at = 0; at < rgba.length; at += 4) text += String.fromCharCode(rgba[at] ?? 0);
      return btoa(text);
    },
    [picture.toString("base64"), side] as const,
  );
  return Buffer.from(pixels, "base64");
}

/** Y4M: a header, then frames of brightness and two planes of colour at half the size, here none. */
function toVideo(brightness: Buffer): Buffer {
  const colour = Buffer.alloc((side * side) / 2, 128);
  const frame = [Buffer.from("FRAME\n"), brightness, colour];
  return Buffer.concat([Buffer.from(`YUV4MPEG2 W${side} H${side} F10:1 Ip A1:1 C420jpeg\n`), ...frame, ...frame]);
}
