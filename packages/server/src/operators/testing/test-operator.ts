import { sql } from "kysely";
import type { TestAccount, TestService } from "../../testing/test-service.ts";

/** A person who is an operator and has a second factor, as far as their open session tells. */
export async function createOperator(service: TestService, email = "operator@example.com"): Promise<TestAccount> {
  const operator = await service.signUp(email);
  await service.database
    .updateTable("person")
    // The two databases have no word for true in common.
    .set({ operator_since: 1, second_factor_enabled: sql<boolean>`(1 = 1)` })
    .where("id", "=", operator.id)
    .execute();
  return operator;
}
