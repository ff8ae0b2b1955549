import { openBatch } from "./open-batch.ts";
import { serveBatches } from "./serve-batches.ts";

serveBatches(openBatch);
