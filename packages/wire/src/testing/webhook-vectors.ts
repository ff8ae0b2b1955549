/** HMACs published by others (GitHub's documentation, octokit, Convoy, RFC 4231) or computed with OpenSSL. */
const service = [
  {
    from: "GitHub's documentation",
    secret: "It's a Secret to Everybody",
    body: "Hello, World!",
    signature: "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
  },
  {
    from: "octokit",
    secret: "mysecret",
    body: '{\n  "foo": "bar"\n}\n',
    signature: "sha256=e3eccac34c43c7dc1cbb905488b1b81347fcc700a7b025697a9d07862256023f",
  },
  {
    from: "octokit",
    secret: "development",
    body: '{\n  "foo": "Foo\\n\\u001B[34mbar: ♥♥♥♥♥♥♥♥\\nthis-is-lost\\u001B[0m\\u001B[2K"\n}\n',
    signature: "sha256=9dacf9003316b09be07df56d86a2d0d6872e42a1e6c72c3bad9ff915a7c5603e",
  },
  {
    from: "Convoy",
    secret: "convoy-webhook-secret",
    body: '{"event":"charge.success","amount":1000,"currency":"NGN"}',
    signature: "sha256=244449b7f48cbc2709060c9dcdc2b3aa47a78f540430579015c579fb12defbb4",
  },
  {
    from: "RFC 4231 section 4.3",
    secret: "Jefe",
    body: "what do ya want for nothing?",
    signature: "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
  },
  {
    from: "computed: empty body",
    secret: "mysecret",
    body: "",
    signature: "sha256=9074a74de0f34ece3f046403ae88d2eea400281da0ed6ebfa76c949016fa672d",
  },
  {
    from: "computed: UTF-8",
    secret: "mysecret",
    body: '{"name":"Zoë 😀"}',
    signature: "sha256=5a1fe6d27df9fbacca2b0558b1377ac82acaf2fc8019c2f909b5e0e34e709cda",
  },
  {
    from: "computed: line ends are kept",
    secret: "mysecret",
    body: "a\r\nb",
    signature: "sha256=f58271e23d91ecfeaf7ccbc0f46e50ad25900ced7138f29fb337ebbbed2a244d",
  },
] as const;

const published = [
  {
    from: "Standard Webhooks",
    secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    timestamp: 1614265330,
    body: '{"test": 2432232314}',
    signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  },
  {
    from: "Svix",
    secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
    id: "msg_27UH4WbU6Z5A5EzD8u03UvzRbpk",
    timestamp: 1649367553,
    body: '{"email":"test@example.com","username":"test_user"}',
    signature: "v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=",
  },
] as const;

/** One body of ours, signed in both ways with two secrets; computed with OpenSSL. */
const ours = {
  id: "dlv_01hk153x00e5rbcwg8rxcnh8w6",
  timestamp: 1704067200,
  body: '{"event":"submission.deleted","timestamp":1704067200000,"form":{"id":"form_01hk153x00e5rbcwg8rxcnh8w4","name":"Kontakt – Zoë"},"submission":{"id":"sub_01hk153x00e5rbcwg8rxcnh8w5"}}',
} as const;
const ourSignatures = [
  {
    secret: "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
    service: "sha256=d702922f2d92c461a22355b4ceb8d4ea5d7e5c2112bf74bdf1ceb4bac2307be7",
    standard: "v1,VAh9JKg8fdio6mc45HclcUrbSDaxpwQVAOeDUKoSSsI=",
  },
  {
    secret: "whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=",
    service: "sha256=5720e3f8213c755eb05e6bcb41307a8c46ac1e874e6a971c20821cd8a10352e5",
    standard: "v1,86SKkAdl1CFYX5ACfJL6Z1SmAkuBYL7qSD/2CaVJZzc=",
  },
] as const;

/** vectors/webhook-signatures.json. The refused ones are all made from `ours` under its first secret. */
export function webhookVectors() {
  const { body, id, timestamp } = ours;
  const [first, second] = ourSignatures;
  return {
    service: [
      ...service,
      ...ourSignatures.map(({ secret, service: signature }) => ({ from: "Sealpost", secret, body, signature })),
    ],
    standard: [
      ...published,
      ...ourSignatures.map(({ secret, standard }) => ({
        from: "Sealpost",
        secret,
        id,
        timestamp,
        body,
        signature: standard,
      })),
    ],
    refusedService: Object.entries(refusedService(first.service, second.service)).map(([name, signature]) => ({
      name,
      secret: first.secret,
      body,
      signature,
    })),
    refusedStandard: Object.entries(refusedStandard(first.standard, second.standard)).map(([name, change]) => ({
      name,
      secret: first.secret,
      id,
      timestamp: String(timestamp),
      body,
      signature: first.standard,
      ...change,
    })),
  };
}

function refusedService(good: string, other: string): Record<string, string> {
  const digits = good.slice(7);
  return {
    empty: "",
    "only the prefix": "sha256=",
    "no prefix": digits,
    "prefix in capitals": `SHA256=${digits}`,
    "digits in capitals": `sha256=${digits.toUpperCase()}`,
    "63 digits": good.slice(0, -1),
    "65 digits": `${good}0`,
    "first 8 digits": good.slice(0, 15),
    "no hex digits": `sha256=${"g".repeat(64)}`,
    "last digit changed": `${good.slice(0, -1)}${good.endsWith("0") ? "1" : "0"}`,
    "first digit changed": `sha256=0${digits.slice(1)}`,
    "two values joined by a comma": `${good},${other}`,
    "two values joined by a comma and a space": `${other}, ${good}`,
    "after a space": ` ${good}`,
    "before a line break": `${good}\n`,
    "of another secret": other,
    "all zero": `sha256=${"0".repeat(64)}`,
    "the older algorithm's prefix": `sha1=${digits.slice(0, 40)}`,
  };
}

function refusedStandard(good: string, other: string): Record<string, Record<string, string>> {
  const value = good.slice(3);
  return {
    "signature empty": { signature: "" },
    "signature only the version": { signature: "v1," },
    "signature without its version": { signature: value },
    "signature of an unknown version": { signature: `v2,${value}` },
    "signature with its version in capitals": { signature: `V1,${value}` },
    "signature without padding": { signature: good.slice(0, -1) },
    "signature in the url alphabet": { signature: good.replaceAll("+", "-").replaceAll("/", "_").replace(/.$/, "") },
    "signature with stray bits": { signature: good.replace(/I=$/, "J=") },
    "signature cut to 8 characters": { signature: good.slice(0, 11) },
    "signature of another secret": { signature: other },
    "several signatures joined by commas": { signature: `${other},${good}` },
    "several signatures, none good": { signature: `${other} v2,${value} v1,bad` },
    "id changed": { id: "dlv_01hk153x00e5rbcwg8rxcnh8w7" },
    "id empty": { id: "" },
    "timestamp changed": { timestamp: "1704067201" },
    "timestamp empty": { timestamp: "" },
    "timestamp in milliseconds": { timestamp: "1704067200000" },
    "timestamp Infinity": { timestamp: "Infinity" },
    "timestamp no number": { timestamp: "now" },
    "timestamp with a fraction": { timestamp: "1704067200.0" },
    "timestamp with an exponent": { timestamp: "1.7040672e9" },
    "timestamp with a sign": { timestamp: "+1704067200" },
    "timestamp after a space": { timestamp: " 1704067200" },
    "timestamp with a leading zero": { timestamp: "01704067200" },
    "body changed": { body: `${ours.body} ` },
    "body empty": { body: "" },
  };
}
