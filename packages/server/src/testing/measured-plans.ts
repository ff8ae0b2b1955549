import { Client } from "pg";
import type { StatementWork } from "./measured-work.ts";
import { isCluster } from "./test-database.ts";

/**
 * PostgreSQL's own extension tells the client of each plan that ran, with its rows. As if tables were large: with few rows, it costs
 * less than an index to read one to its end, for a join too. Before version 16 no plan has the parameters.
 */
const settings = `load 'auto_explain';
  set auto_explain.log_min_duration = 0; set auto_explain.log_analyze = on; set auto_explain.log_timing = off;
  set auto_explain.log_format = json;
  select set_config(name, '0', false) from pg_settings where name = 'auto_explain.log_parameter_max_length';
  set client_min_messages = log; set enable_seqscan = off;
  set enable_hashjoin = off; set enable_mergejoin = off;`;

/** As PostgreSQL prints it. */
interface Plan {
  readonly "Node Type": string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly Plans?: readonly Plan[];
}

/**
 * From here on the rows are counted that each statement of this process looks at on PostgreSQL. Gives a function with those of each
 * since it was asked last: the rows of the run that looked at most of them, as steps.
 */
export function measurePlans(): () => readonly StatementWork[] {
  // There a plan has parts of other servers in it, which are no JSON; and tests of other files run in the same process.
  if (isCluster) return () => [];
  const known = new WeakSet<Client>();
  const looked = new Map<string, { runs: number; steps: number }>();
  const { query } = Client.prototype;
  const watched = function (this: Client, ...asked: unknown[]) {
    if (!known.has(this)) {
      known.add(this);
      this.on("notice", ({ message = "" }) => {
        const start = message.indexOf("plan:\n");
        if (start < 0) return;
        const notice = JSON.parse(message.slice(start + "plan:\n".length)) as { "Query Text": string; Plan: Plan }; // see above
        const text = notice["Query Text"];
        const { runs, steps } = looked.get(text) ?? { runs: 0, steps: 0 };
        looked.set(text, { runs: runs + 1, steps: Math.max(steps, rowsOf(notice.Plan)) });
      });
      Reflect.apply(query, this, [settings]);
    }
    return Reflect.apply(query, this, asked);
  };
  Client.prototype.query = watched as typeof query; // whatever overload is called
  return () => {
    const work = [...looked].map(([text, one]) => ({ text, ...one }));
    looked.clear();
    return work;
  };
}

/** Rows that the plan has read from tables and indexes, whether it kept them or not. */
function rowsOf(plan: Plan): number {
  const isScan = plan["Node Type"].endsWith("Scan") && plan.Plans === undefined;
  const removed = (plan["Rows Removed by Filter"] ?? 0) + (plan["Rows Removed by Index Recheck"] ?? 0);
  const own = isScan ? (plan["Actual Rows"] + removed) * plan["Actual Loops"] : 0;
  return (plan.Plans ?? []).reduce((sum, one) => sum + rowsOf(one), own);
}
