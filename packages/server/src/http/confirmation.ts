import type { FastifyRequest } from "fastify";
import type { Sentence } from "../problems/codes.ts";
import { Problem } from "../problems/problem.ts";
import { describeErrors } from "./validation.ts";

/**
 * For a route with `attachValidation`, whose query holds a `confirm`: a 400 with `sentence` when that is what is missing or
 * wrong (contract, section 5.3), and the usual 400 for any other error.
 */
export function requireConfirmation(request: FastifyRequest, sentence: Sentence): void {
  const errors = request.validationError?.validation;
  if (errors === undefined) return;
  const details = describeErrors(errors);
  throw new Problem("bad_request", "confirm" in details ? sentence : "Invalid request", { details });
}
