import { serveKeyWorker } from "@sealpost/vault";
import { operations } from "./operations.ts";

serveKeyWorker(self, operations);
