import { recordOf } from "../../../formats/json.ts";
import { decimal, multiply, roundToInteger } from "../../../lib/values/decimal.ts";
import type { Report } from "../report.ts";
import type { Source, SourceRow } from "../source.ts";
import { integerIn, textOf } from "../values.ts";
import { readAccounts, type Team } from "./accounts.ts";
import { readDeployments } from "./deployments.ts";
import { type ModelNames, readKeys } from "./keys.ts";
import { type Budget, budgetOf } from "./limits.ts";
import { readSpending, spendLogs } from "./spend-logs.ts";
import { type LiteLlmTables, readTables, secondsIn } from "./tables.ts";

/** A project of a team. */
export type Project = Readonly<{
  id: number;
  /** LiteLLM's id. */
  sourceId: string;
  team: number;
  name: string;
  createdAt: number;
  budget: Budget | null;
}>;

/** A database of LiteLLM as the tables that imports read, and what these have no place for. */
export type Translated = Readonly<{ source: Source; teams: readonly Team[]; projects: readonly Project[] }>;

export type LiteLlmOptions = Readonly<{
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
      columns: async (table) => new Set(table === "logs" ? ["id"] : Object.keys(rows[table]?.[0] ?? {})),
      all: async (table) => [...(rows[table] ?? [])],
      slices: (table) => (table === "logs" ? logs() : inOneSlice(rows[table] ?? [])),
      highestId: async (table) => rows[table]?.length ?? 0,
      close: () => from.close(),
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
