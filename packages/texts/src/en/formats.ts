import { createFormats } from "../formats.ts";
import { counted } from "./plurals.ts";

export const formats = createFormats("en", {
  justNow: "just now",
  countBytes: (bytes) => counted(bytes, { one: "byte", other: "bytes" }),
  byteUnits: ["KiB", "MiB", "GiB", "TiB"],
});

export const { formatBytes, formatDate, formatList, formatNumber } = formats;
