import { recordOf } from "../../../formats/json.ts";
import { decimal, multiply, roundToInteger } from "../../../lib/values/decimal.ts";
import type { Report } from "../report.ts";
import type { Source, SourceRow } from "../source.ts";
import { flagOf, integerIn, textOf } from "../values.ts";
import { type Accounts, ownerOf, readAccounts, type Team } from "./accounts.ts";
import { readDeployments } from "./deployments.ts";
import { type Budget, budgetOf, restOf, unitsOf } from "./limits.ts";
import { readSpending, spendLogs } from "./spend-logs.ts";
import { type LiteLlmTables, limitedModels, readTables, secondsIn, textsIn } from "./tables.ts";

/** A project of a team. */
export type Project = Readonly<{
  id: number;
  /** LiteLLM's id. */
  sourceId: string;
  team: number;
  name: string;
  createdAt: number;
  budget: Budget | null;
  /** Patterns of models that its keys may call; empty: those of the team. */
  models: readonly string[];
}>;

/** A database of LiteLLM as the tables that imports read, and what these have no place for. */
type Translated = Readonly<{ source: Source; teams: readonly Team[]; projects: readonly Project[] }>;

type LiteLlmOptions = Readonly<{
  unitsAUsd: string;
  /** What accounts without a total budget begin with, in dollars. */
  balanceUsd: number;
  saltKey: string;
  env: Readonly<Record<string, string | undefined>>;
  withLogs: boolean;
  report: Report;
}>;

/** Reads a database of LiteLLM as if it were one of the other gateways'. */
export async function translateLiteLlm(from: Source, options: LiteLlmOptions): Promise<Translated> {
  const { unitsAUsd, report } = options;
  const tables = await readTables(from);
  const balance = roundToInteger(multiply(decimal(options.balanceUsd), decimal(unitsAUsd)));
  const accounts = readAccounts(tables, { unitsAUsd, balance, report });
  const projects = readProjects(tables, accounts.teamOf, unitsAUsd);
  for (const row of tables.projects)
    if (flagOf(row, "blocked")) report.remark("projects", "blocked at the source: disable its keys");
  const projectOf = new Map(projects.map(({ id }, index) => [textOf(tables.projects[index] ?? {}, "project_id"), id]));
  const { channels, channelOf } = readDeployments(tables, options);
  const keys = readKeys({ tables, accounts, models: namesOf(tables), projectOf, unitsAUsd, report });
  const spentBy = (column: "api_key" | "model_id") =>
    options.withLogs ? readSpending(from, column, unitsAUsd) : new Map<string, number>();
  const spent = await spentBy("api_key");
  // A key's spend begins again with each budget: its log may know of more.
  const tokens = keys.map((key) => ({
    ...key,
    used_quota: Math.max(integerIn(key, "used_quota"), spent.get(textOf(key, "key")) ?? 0),
  }));
  const served = await spentBy("model_id");
  const used = (id: number) =>
    [...channelOf].reduce((sum, [model, channel]) => sum + (channel === id ? (served.get(model) ?? 0) : 0), 0);
  const users = accounts.rows.map((row) => ({ ...row, used_quota: sumOf(tokens, integerIn(row, "id")) }));
  const settings = accounts.teams.length > 0 ? [{ key: "Organizations", value: "on" }] : [];
  const rows: Readonly<Record<string, readonly SourceRow[]>> = {
    ...{ users, tokens, options: settings },
    channels: channels.map((channel) => ({ ...channel, used_quota: used(integerIn(channel, "id")) })),
  };
  const logs = () => spendLogs(from, { accounts, tokens, channelOf, unitsAUsd, users });
  return {
    teams: accounts.teams,
    projects,
    source: {
      ...from,
      columns: async (table) => new Set(table === "logs" ? ["id"] : Object.keys(rows[table]?.[0] ?? {})),
      all: async (table) => [...(rows[table] ?? [])],
      slices: (table) => (table === "logs" ? logs() : inOneSlice(rows[table] ?? [])),
      highestId: async (table) => rows[table]?.length ?? 0,
    },
  };
}

async function* inOneSlice(rows: readonly SourceRow[]): AsyncGenerator<SourceRow[]> {
  if (rows.length > 0) yield [...rows];
}

const sumOf = (tokens: readonly SourceRow[], userId: number): number =>
  tokens.reduce((sum, token) => sum + (token.user_id === userId ? integerIn(token, "used_quota") : 0), 0);

const LONGEST_NAME = 60;

function readProjects(
  { projects, budgets }: LiteLlmTables,
  teamOf: ReadonlyMap<string, number>,
  unitsAUsd: string,
): Project[] {
  return projects.map((row, index) => ({
    id: index + 1,
    sourceId: textOf(row, "project_id"),
    team: teamOf.get(textOf(row, "team_id")) ?? 0,
    name: (textOf(row, "project_alias") || textOf(row, "project_id")).slice(0, LONGEST_NAME),
    createdAt: secondsIn(row, "created_at"),
    budget: budgetOf(row, budgets, unitsAUsd),
    models: limitedModels(row),
  }));
}

function namesOf({ models }: LiteLlmTables): ModelNames {
  const byGroup = new Map<string, string[]>();
  for (const row of models) {
    const groups = recordOf(row.model_info)?.access_groups;
    for (const group of Array.isArray(groups) ? groups : []) {
      const name = String(group);
      byGroup.set(name, [...(byGroup.get(name) ?? []), textOf(row, "model_name")]);
    }
  }
  return { all: models.map((row) => textOf(row, "model_name")), byGroup };
}

const KIND = "API keys";
const LONGEST_KEY_NAME = 30;
/** Sessions of LiteLLM's own console. */
const CONSOLE_TEAM = "litellm-dashboard";
/** Lists of a key that stand for those of its team, or for all models. */
const EVERY_MODEL = ["all-proxy-models", "all-team-models", "*"];
const NO_MODEL = "no-default-models";

/** Names of models, as keys may list them. */
type ModelNames = Readonly<{ all: readonly string[]; byGroup: ReadonlyMap<string, readonly string[]> }>;

type Context = Readonly<{
  tables: LiteLlmTables;
  accounts: Accounts;
  models: ModelNames;
  projectOf: ReadonlyMap<string, number>;
  unitsAUsd: string;
  report: Report;
}>;

/** LiteLLM's keys as rows of API keys, by the hashes that it stores. */
function readKeys(context: Context): SourceRow[] {
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
    name: (textOf(row, "key_alias") || textOf(row, "key_name")).slice(0, LONGEST_KEY_NAME),
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
  const [only, second] = lists;
  // Patterns stay what they are, unless another list narrows them.
  if (only && !second)
    return [...new Set(only.flatMap((entry) => (entry.includes("*") ? [entry] : expand(entry, models))))];
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
