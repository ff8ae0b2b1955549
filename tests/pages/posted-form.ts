/** A field as it was sent; `file`: the name that a chosen, or not chosen, file was sent with. */
export interface Entry {
  readonly name: string;
  readonly value: string;
  readonly file?: string;
}

/** Reads what a browser sends: `multipart/form-data` (RFC 7578), else `application/x-www-form-urlencoded` (URL, section 5). */
export function readEntries(body: Buffer | string, type: string | undefined, charset: string): readonly Entry[] {
  const boundary = /^multipart\/form-data; *boundary="?([^";]+)/.exec(type ?? "")?.[1];
  const bytes = body.toString("latin1");
  if (boundary !== undefined) return readParts(bytes, boundary, charset);
  if (bytes === "") return [];
  return bytes.split("&").map((pair) => {
    const [name = "", value = ""] = pair.split("=", 2).map((text) => decode(unescapeUrl(text), charset));
    return { name, value };
  });
}

function readParts(bytes: string, boundary: string, charset: string): readonly Entry[] {
  const parts = `\r\n${bytes}`.split(`\r\n--${boundary}`).slice(1, -1);
  return parts.map((part) => {
    const end = part.indexOf("\r\n\r\n");
    const header = part.slice(0, end);
    const read = (pattern: RegExp) => {
      const found = pattern.exec(header)?.[1];
      return found === undefined ? undefined : decode(found.replace(/%(22|0D|0A)/g, unescapeUrl), charset);
    };
    const file = read(/; filename="([^"]*)"/i);
    const entry = { name: read(/; name="([^"]*)"/i) ?? "", value: decode(part.slice(end + 4), charset) };
    return file === undefined ? entry : { ...entry, file };
  });
}

function unescapeUrl(text: string): string {
  return text
    .replaceAll("+", " ")
    .replace(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

function decode(bytes: string, charset: string): string {
  return new TextDecoder(charset).decode(Buffer.from(bytes, "latin1"));
}
