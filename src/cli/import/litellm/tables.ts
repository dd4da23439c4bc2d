import { parseJson, recordOf } from "../../../formats/json.ts";
import type { Source, SourceRow } from "../source.ts";
import { textOf } from "../values.ts";

/** The small tables of LiteLLM's database; rows as JSON, so that lists and times read alike from every driver. */
export type LiteLlmTables = Readonly<{
  users: readonly SourceRow[];
  teams: readonly SourceRow[];
  organizations: readonly SourceRow[];
  memberships: readonly SourceRow[];
  projects: readonly SourceRow[];
  budgets: ReadonlyMap<string, SourceRow>;
  keys: readonly SourceRow[];
  models: readonly SourceRow[];
  credentials: readonly SourceRow[];
}>;

/** Reads the tables of LiteLLM; older releases lack some, which are empty then. */
export async function readTables(source: Source): Promise<LiteLlmTables> {
  const read = async (table: string, order: string): Promise<SourceRow[]> =>
    (await source.columns(table)).size === 0
      ? []
      : rowsOf(source, `(select to_jsonb(t)::text as row from "${table}" t order by ${order}) r`);
  const budgets = await read("LiteLLM_BudgetTable", "budget_id");
  return {
    users: await read("LiteLLM_UserTable", "user_id"),
    teams: await read("LiteLLM_TeamTable", "team_id"),
    organizations: await read("LiteLLM_OrganizationTable", "organization_id"),
    memberships: await read("LiteLLM_TeamMembership", "team_id, user_id"),
    projects: await read("LiteLLM_ProjectTable", "project_id"),
    budgets: new Map(budgets.map((row) => [textOf(row, "budget_id"), row])),
    keys: await read("LiteLLM_VerificationToken", "token"),
    models: await read("LiteLLM_ProxyModelTable", "created_at, model_id"),
    credentials: await read("LiteLLM_CredentialsTable", "credential_name"),
  };
}

/** The rows of a statement with one column `row`, which is a JSON object. */
export async function rowsOf(source: Source, from: string): Promise<SourceRow[]> {
  return (await source.all(from)).map(({ row }) => recordOf(parseJson(String(row)))).filter((row) => row !== null);
}

/** The texts of a list column. */
export const textsIn = (row: SourceRow, column: string): string[] => {
  const value = row[column];
  return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === "string") : [];
};

/** The models that a team or project may call; empty: all, or those of what is above it. */
export function limitedModels(row: SourceRow): readonly string[] {
  const models = textsIn(row, "models");
  return models.some((model) => model === "all-proxy-models" || model === "all-team-models") ? [] : models;
}

/** Epoch seconds of a timestamp (UTC without a zone, as Prisma stores them); 0 when it is null. */
export function secondsIn(row: SourceRow, column: string): number {
  const text = textOf(row, column);
  if (text === "") return 0;
  const ms = Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);
  return Number.isFinite(ms) ? Math.floor(ms / 1000) : 0;
}
