import { type AgeRequest, answerAge } from "@sealpost/vault";

self.onmessage = async ({ data }: MessageEvent<AgeRequest>) => self.postMessage(await answerAge(data));
