import { type AgeRequest, answerAge } from "../vault/answer-age.ts";

self.onmessage = async ({ data }: MessageEvent<AgeRequest>) => self.postMessage(await answerAge(data));
