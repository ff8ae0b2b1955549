/** Requests that anybody can send, or an account. */
export interface HostileRequest {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const most = 1_048_576;
const fill = (piece: string, length = most - 200) => piece.repeat(Math.floor(length / piece.length));
const fields = (text: string) => `{"payload":{"encrypted":false,"version":"plain1","fields":${text}}}`;
const members = (count: number, name: (index: number) => string) =>
  `{${Array.from({ length: count }, (_, index) => `"${name(index)}":1`).join(",")}}`;

export function hostileRequests(
  forms: { readonly plain: string; readonly stripped: string },
  token: string,
): readonly HostileRequest[] {
  const post = (name: string, path: string, type: string, body: string): HostileRequest => ({
    ...{ name, method: "POST", path, headers: { "content-type": type }, body },
  });
  const html = (name: string, body: string, type = "application/x-www-form-urlencoded") =>
    post(`HTML form: ${name}`, `/f/${forms.plain}`, type, body);
  const part = (head: string, body = "") => `--b\r\nContent-Disposition: form-data; name="a"${head}\r\n\r\n${body}\r\n`;
  const multipart = (name: string, body: string) =>
    html(`multipart, ${name}`, `${body}--b--\r\n`, "multipart/form-data; boundary=b");
  const json = (name: string, body: string, formId = forms.plain) =>
    post(`JSON: ${name}`, `/api/forms/${formId}/submissions`, "application/json", body);
  const api = (name: string, path: string, body: string): HostileRequest => {
    const request = post(`API: ${name}`, path, "application/json", body);
    return { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } };
  };
  return [
    html("one name, again and again", fill("a=x&")),
    html("pairs of nothing", fill("&")),
    html("percent signs", `a=${fill("%41")}`),
    html("a name of brackets", `${fill("[]")}=x`),
    multipart("small parts", fill(part(""))),
    multipart(
      "one part, many headers",
      `--b\r\n${fill("X:x\r\n", most - 400)}Content-Disposition: form-data; name="a"\r\n\r\n\r\n`,
    ),
    multipart("one part, many parameters", part(fill(';a="b"', most - 400))),
    multipart("beginnings of the boundary", part("", fill("\r\n--", most - 400))),
    json("names of its own", fields(members(75_000, (index) => `n${index}`))),
    json("one list", fields(`{"a":[${fill("1,", most - 400)}1]}`)),
    json("nested without end", fields(fill("[", most - 400))),
    json(
      "unknown members",
      members(75_000, (index) => `n${index}`),
    ),
    json("escapes", fields(`{"a":"${fill("\\u0041", most - 400)}"}`)),
    json(
      "a sealed payload that is not base64",
      `{"payload":{"encrypted":true,"version":"sp1","data":"${fill("A", most - 400)}!"}}`,
    ),
    json("identifiers to strip", fields(`{"a":"${fill("212-555-0147 ", 64_000)}"}`), forms.stripped),
    json(
      "identifiers to strip in 15 texts",
      fields(
        `{${Array.from({ length: 15 }, (_, index) => `"t${index}":"${fill("078-05-1120 ", 64_000)}"`).join(",")}}`,
      ),
      forms.stripped,
    ),
    json("8 KB to strip, on this thread", fields(`{"a":"${fill("078-05-1120 ", 8_000)}"}`), forms.stripped),
    api(
      "ids to delete, none an id",
      `/api/forms/${forms.plain}/submissions/delete`,
      `{"ids":[${fill('"",', 65_000)}""]}`,
    ),
    api("unknown settings", "/api/forms", `{"name":"a","settings":${members(6_000, (index) => `n${index}`)}}`),
    api("origins", "/api/forms", `{"name":"a","settings":{"allowedOrigins":[${fill('"a",', 65_000)}"a"]}}`),
    api("permissions of a key", "/api/api-keys", `{"name":"a","permissions":[${fill('"a",', 65_000)}"a"]}`),
    {
      name: "address: 8 KB of parameters",
      method: "GET",
      path: `/api/forms?${fill("a&", 8_000)}`,
      headers: { authorization: `Bearer ${token}` },
    },
    { name: "the API's document", method: "GET", path: "/api/openapi.json", headers: {} },
    { name: "the API's reference", method: "GET", path: "/api/docs", headers: {} },
  ];
}
