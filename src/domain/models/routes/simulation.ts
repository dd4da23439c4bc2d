import { sql } from "drizzle-orm";
import { logOf } from "../../../../db/server/log-database.ts";
import type { Db } from "../../../../db/types.ts";
import type { LogOther } from "../../../billing/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import type { ModelRoute } from "../../../settings/option/model-routes.ts";
import { LOG_TYPE } from "../../logs/write-log.ts";

/** A call of the log, as far as a route can be simulated with it. */
export type PastCall = Readonly<{
  model: string;
  group: string;
  /** Epoch seconds. */
  createdAt: number;
  promptTokens: number;
  cachedTokens: number;
  completionTokens: number;
  failed: boolean;
  elapsedMs: number;
  quota: number;
}>;

/** What calls cost, how long they took and how many succeeded. */
export type Outcomes = Readonly<{
  /** Quota units a call that succeeded, on average; null: unknown. */
  cost: number | null;
  latency_ms: number | null;
  /** From 0 to 1; null: unknown. */
  success: number | null;
  /** Model → share of calls that it serves, from 0 to 1. */
  shares: Readonly<Record<string, number>>;
  /** Calls that no candidate takes. */
  refused: number;
}>;

/** Yesterday's calls as they were, and under another route. */
export type Simulation = Readonly<{
  calls: number;
  before: Outcomes;
  after: Outcomes;
  /** Candidates without calls in the log: nothing is known of their speed. */
  unmeasured: readonly string[];
}>;

/** Predicts the outcomes of calls under a route, by what the log knows of its models (`known`). */
export type PredictOutcomes = (route: ModelRoute, calls: readonly PastCall[], known: readonly PastCall[]) => Outcomes;

const DAY_S = 86_400;
const MOST_CALLS = 3000;

/**
 * Simulates a route with the last day's calls to it, or if there are none, with those to its models. `current`: the route as
 * it is now; null: it is new.
 */
export async function simulateRoute(
  db: Db,
  { route, current }: Readonly<{ route: ModelRoute; current: ModelRoute | null }>,
  predict: PredictOutcomes,
): Promise<Simulation> {
  const models = new Set([...route.candidates, ...(current?.candidates ?? [])].map(({ model }) => model));
  const rows = await readCalls(db, [...models]);
  const routed = rows.filter(({ requested }) => requested === route.name).map(({ call }) => call);
  const known = rows.map(({ call }) => call);
  const calls = routed.length > 0 ? routed : known;
  const measured = new Set(known.map(({ model }) => model));
  return {
    calls: calls.length,
    before: outcomesOf(calls),
    after: predict(route, calls, known),
    unmeasured: [...new Set(route.candidates.map(({ model }) => model))].filter((model) => !measured.has(model)),
  };
}

/** What the log says of calls. */
function outcomesOf(calls: readonly PastCall[]): Outcomes {
  const succeeded = calls.filter(({ failed }) => !failed);
  const mean = (read: (call: PastCall) => number) =>
    succeeded.length === 0 ? null : succeeded.reduce((sum, call) => sum + read(call), 0) / succeeded.length;
  const shares = [...Map.groupBy(calls, ({ model }) => model)].map(([model, of]) => [model, of.length / calls.length]);
  return {
    cost: mean(({ quota }) => quota),
    latency_ms: mean(({ elapsedMs }) => elapsedMs),
    success: calls.length === 0 ? null : succeeded.length / calls.length,
    shares: Object.fromEntries(shares),
    refused: 0,
  };
}

type Row = {
  model_name: string;
  group: string;
  created_at: number;
  prompt_tokens: number;
  completion_tokens: number;
  failed: boolean;
  elapsed_ms: number;
  quota: number;
  other: string;
};

async function readCalls(db: Db, models: readonly string[]) {
  const rows = await logOf(db).execute<Row>(sql`
    select model_name, "group", created_at, prompt_tokens, completion_tokens, failed, elapsed_ms, quota, other
    from logs
    where type = ${LOG_TYPE.consumption} and created_at >= ${nowSeconds() - DAY_S}
      and model_name in (${sql.join(
        models.map((model) => sql`${model}`),
        sql`, `,
      )})
    order by created_at desc limit ${MOST_CALLS}`);
  return [...rows].map((row) => {
    const other = readOther(row.other);
    const call: PastCall = {
      ...{ model: row.model_name, group: row.group, createdAt: Number(row.created_at), failed: row.failed },
      ...{ promptTokens: row.prompt_tokens, cachedTokens: other.cache_tokens ?? 0 },
      ...{ completionTokens: row.completion_tokens, elapsedMs: row.elapsed_ms, quota: Number(row.quota) },
    };
    return { requested: other.requested_model ?? row.model_name, call };
  });
}

function readOther(text: string): Partial<LogOther> {
  try {
    return text === "" ? {} : (JSON.parse(text) as Partial<LogOther>);
  } catch {
    return {};
  }
}
