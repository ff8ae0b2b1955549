import { createId, generateKeyPair, seal, signService, verifyService } from "@sealpost/wire";
import { importOpeningKey, open } from "@sealpost/wire/open";

// The owner of the form, once. The private key stays here.
const { publicKey, privateKey } = await generateKeyPair();

// The visitor's browser: sealed for this form, key version and submission, and for nothing else.
const binding = { formId: createId("form"), keyVersion: 1, submissionId: createId("submission") };
const payload = await seal({ email: "ada@example.com", topics: ["forms", "privacy"] }, binding, publicKey);

// The server passes it on, signed, and can't read it.
const body = new TextEncoder().encode(JSON.stringify({ ...binding, payload }));
const signature = await signService("whsec_the-secret-of-this-form", body);

// The owner again: check who sent it, then open it.
if (!(await verifyService(["whsec_the-secret-of-this-form"], body, signature))) throw new Error("Not from the server");
const opened = await open({ ...binding, payload }, [await importOpeningKey(privateKey)]);
console.log(opened.opened ? opened.fields : opened.reason);
