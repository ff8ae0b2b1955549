import type { FastifyRequest } from "fastify";
import { Problem } from "../problems/problem.ts";
import { describeFaults } from "./validation.ts";

/**
 * For a route with `attachValidation`, whose query holds a `confirm`: a 400 with `sentence` when that is what is missing or
 * wrong (contract, section 5.3), and the usual 400 for any other fault.
 */
export function requireConfirmation(request: FastifyRequest, sentence: string): void {
  const faults = request.validationError?.validation;
  if (faults === undefined) return;
  const details = describeFaults(faults);
  throw new Problem("bad_request", "confirm" in details ? sentence : "Invalid request", { details });
}
