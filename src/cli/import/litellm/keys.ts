import type { Report } from "../report.ts";
import type { SourceRow } from "../source.ts";
import { flagOf, textOf } from "../values.ts";
import { type Accounts, ownerOf } from "./accounts.ts";
import { budgetOf, restOf, unitsOf } from "./limits.ts";
import { type LiteLlmTables, secondsIn, textsIn } from "./tables.ts";

const KIND = "API keys";
const LONGEST_NAME = 30;
/** Sessions of LiteLLM's own console. */
const CONSOLE_TEAM = "litellm-dashboard";
/** Lists of a key that stand for those of its team, or for all models. */
const EVERY_MODEL = ["all-proxy-models", "all-team-models", "*"];
const NO_MODEL = "no-default-models";

/** Names of models, as keys may list them. */
export type ModelNames = Readonly<{ all: readonly string[]; byGroup: ReadonlyMap<string, readonly string[]> }>;

type Context = Readonly<{
  tables: LiteLlmTables;
  accounts: Accounts;
  models: ModelNames;
  projectOf: ReadonlyMap<string, number>;
  unitsAUsd: string;
  report: Report;
}>;

/** LiteLLM's keys as rows of API keys, by the hashes that it stores. */
export function readKeys(context: Context): SourceRow[] {
  return context.tables.keys.map((row, index) => readKey(row, index + 1, context)).filter((row) => row !== null);
}

function readKey(row: SourceRow, id: number, context: Context): SourceRow | null {
  const { tables, accounts, projectOf, unitsAUsd, report } = context;
  if (textOf(row, "team_id") === CONSOLE_TEAM) return skip(report, "a session of LiteLLM's console");
  const routes = textsIn(row, "allowed_routes");
  const isLimitedToRoutes = routes.length > 0 && !routes.includes("llm_api_routes");
  if (isLimitedToRoutes) report.remark(KIND, "disabled, it was limited to routes");
  if (typeof row.max_parallel_requests === "number") {
    report.remark(KIND, "parallel calls of a key have no counterpart here");
  }
  const budget = budgetOf(row, tables.budgets, unitsAUsd);
  if (budget?.oddInterval) {
    report.remark(KIND, `a budget renewed every ${budget.oddInterval}: what is left of it stays, and is not renewed`);
  }
  const models = modelsOf(row, context);
  const isRenewed = budget !== null && budget.period !== "total";
  const expires = secondsIn(row, "expires");
  return {
    ...{ id, user_id: ownerOf(row, accounts), key: textOf(row, "token") },
    name: (textOf(row, "key_alias") || textOf(row, "key_name")).slice(0, LONGEST_NAME),
    status: flagOf(row, "blocked") || isLimitedToRoutes ? 2 : 1,
    created_time: secondsIn(row, "created_at"),
    accessed_time: secondsIn(row, "last_active"),
    expired_time: expires === 0 ? -1 : expires,
    remain_quota: budget ? restOf(budget) : 0,
    unlimited_quota: budget === null,
    used_quota: unitsOf(row.spend, unitsAUsd),
    model_limits_enabled: models !== null,
    model_limits: models?.join(",") ?? "",
    requests_per_minute: row.rpm_limit,
    tokens_per_minute: row.tpm_limit,
    budget_period: isRenewed ? budget.period : "",
    budget_quota: isRenewed ? budget.limit : 0,
    budget_renews_at: isRenewed ? budget.resetAt : 0,
    created_by: accounts.teamOf.has(textOf(row, "team_id")) ? (accounts.personOf.get(textOf(row, "user_id")) ?? 0) : 0,
    project_id: projectOf.get(textOf(row, "project_id")) ?? 0,
  };
}

function skip(report: Report, reason: string): null {
  report.skip(KIND, reason);
  return null;
}

/** The models that a key may call; null: all, or those of its team's policy. */
function modelsOf(row: SourceRow, { tables, accounts, models }: Context): readonly string[] | null {
  const own = textsIn(row, "models");
  const isPersonal = !accounts.teamOf.has(textOf(row, "team_id"));
  const user = isPersonal
    ? tables.users.find((entry) => textOf(entry, "user_id") === textOf(row, "user_id"))
    : undefined;
  const lists = [own, user ? textsIn(user, "models") : []].filter(
    (list) => list.length > 0 && !list.some((entry) => EVERY_MODEL.includes(entry)),
  );
  const [first, ...rest] = lists.map((list) => list.flatMap((entry) => expand(entry, models)));
  if (!first) return null;
  return [...new Set(first)].filter((model) => rest.every((list) => list.includes(model)));
}

/** An entry of a list of models: a name, an access group, or a pattern. */
function expand(entry: string, { all, byGroup }: ModelNames): readonly string[] {
  if (entry === NO_MODEL) return [];
  if (!entry.includes("*")) return byGroup.get(entry) ?? [entry];
  const pattern = new RegExp(`^${entry.split("*").map(RegExp.escape).join(".*")}$`);
  return all.filter((model) => pattern.test(model));
}
