import { createHash } from "node:crypto";
import { recordOf } from "../../../formats/json.ts";
import type { Report } from "../report.ts";
import type { SourceRow } from "../source.ts";
import { flagOf, integerIn, textOf } from "../values.ts";
import { type Budget, budgetOf, restOf } from "./limits.ts";
import { type LiteLlmTables, limitedModels, secondsIn } from "./tables.ts";

const LONGEST_NAME = 20;
const ADMIN = 10;
/** The account that LiteLLM's master key stands for: nobody signs in as it. */
const PSEUDO_USER = "default_user_id";

export type Member = Readonly<{ userId: number; isAdmin: boolean; budget: Budget | null }>;

/** A team as an organization. */
export type Team = Readonly<{
  id: number;
  members: readonly Member[];
  /** What is renewed, and therefore no balance. */
  budget: Budget | null;
  /** Patterns of models that it may call; empty: all. */
  models: readonly string[];
}>;

/** Accounts by LiteLLM's ids, as numbers of this import. */
export type Accounts = Readonly<{
  /** Rows of users: people, then teams, then whoever owns keys without an owner. */
  rows: readonly SourceRow[];
  teams: readonly Team[];
  personOf: ReadonlyMap<string, number>;
  teamOf: ReadonlyMap<string, number>;
  /** Owns keys that belong to nobody. */
  nobody: number;
}>;

type Options = Readonly<{
  unitsAUsd: string;
  /** What accounts without a total budget begin with, in quota units. */
  balance: number;
  report: Report;
}>;

/**
 * A name of at most 12 characters that is the same in every import: names and addresses at the source may be long, and may be
 * those of somebody else here.
 */
function handleOf(name: string, id: string): string {
  const readable = name
    .normalize("NFC")
    .split("@", 1)
    .join()
    .replaceAll(/[^\p{L}\p{N}._-]/gu, "")
    .toLowerCase();
  const mark = BigInt(`0x${createHash("sha256").update(id).digest("hex").slice(0, 12)}`)
    .toString(36)
    .slice(0, 5);
  return `${[...readable].slice(0, 6).join("") || "id"}-${mark}`;
}

/** Users and teams of LiteLLM as rows of users. */
export function readAccounts(tables: LiteLlmTables, options: Options): Accounts {
  const { users, teams } = tables;
  const personOf = new Map(users.map((row, index) => [textOf(row, "user_id"), index + 1]));
  const teamOf = new Map(teams.map((row, index) => [textOf(row, "team_id"), users.length + index + 1]));
  const nobody = users.length + teams.length + 1;
  const ownerless = { id: nobody, kind: "organization", username: "litellm-keys", quota: options.balance };
  const hasOwnerless = tables.keys.some(
    (key) => !teamOf.has(textOf(key, "team_id")) && !personOf.has(textOf(key, "user_id")),
  );
  return {
    rows: [
      ...users.map((row) => readPerson(row, personOf.get(textOf(row, "user_id")) ?? 0, tables, options)),
      ...teams.map((row) => readTeamAccount(row, teamOf.get(textOf(row, "team_id")) ?? 0, tables, options)),
      ...(hasOwnerless ? [ownerless] : []),
    ],
    teams: teams.map((row) => readTeam(row, { personOf, teamOf }, tables, options)),
    personOf,
    teamOf,
    nobody,
  };
}

/** Who pays for a key's calls: its team, else its user. */
export const ownerOf = (row: SourceRow, { personOf, teamOf, nobody }: Accounts): number =>
  teamOf.get(textOf(row, "team_id")) ?? personOf.get(textOf(row, "user_id")) ?? nobody;

const KIND = "users";

function readPerson(row: SourceRow, id: number, { budgets }: LiteLlmTables, options: Options): SourceRow {
  const { report, unitsAUsd } = options;
  const userId = textOf(row, "user_id");
  const email = textOf(row, "user_email");
  const name = textOf(row, "user_alias") || email || userId;
  const role = textOf(row, "user_role");
  const budget = budgetOf(row, budgets, unitsAUsd);
  if (budget && (budget.period !== "total" || budget.oddInterval !== "")) {
    report.remark(KIND, "a budget that was renewed: what is left of it is the balance");
  }
  if (!budget) report.remark(KIND, balanceRemark);
  if (integerIn(row, "tpm_limit") > 0) report.remark(KIND, "tokens a minute of a user have no counterpart here");
  if (role === "proxy_admin_viewer") report.remark(KIND, "an administrator who only views is a user here");
  return {
    ...{
      id,
      kind: "person",
      username: handleOf(name, userId),
      display_name: [...name].slice(0, LONGEST_NAME).join(""),
    },
    ...{ email, role: role === "proxy_admin" && userId !== PSEUDO_USER ? ADMIN : 1, status: 1 },
    quota: budget ? restOf(budget) : options.balance,
    ...rates(row),
    created_at: secondsIn(row, "created_at"),
  };
}

const balanceRemark = "without a total budget: the balance is that of --balance";

const rates = (row: SourceRow) => ({
  requests_per_minute: row.rpm_limit,
  max_concurrency: row.max_parallel_requests,
});

function readTeamAccount(
  row: SourceRow,
  id: number,
  { budgets, organizations }: LiteLlmTables,
  options: Options,
): SourceRow {
  const { report, unitsAUsd } = options;
  const teamId = textOf(row, "team_id");
  const name = textOf(row, "team_alias") || teamId;
  const budget = budgetOf(row, budgets, unitsAUsd);
  const isTotal = budget?.period === "total";
  if (!isTotal) report.remark(KIND, balanceRemark);
  if (budget?.oddInterval)
    report.remark(KIND, `a budget renewed every ${budget.oddInterval}: what is left of it is the balance`);
  if (integerIn(row, "tpm_limit") > 0) report.remark(KIND, "tokens a minute of a team have no counterpart here");
  const above = organizations.find((entry) => textOf(entry, "organization_id") === textOf(row, "organization_id"));
  if (above && budgetOf(above, budgets, unitsAUsd)) {
    report.remark(
      KIND,
      `the budget of ${textOf(above, "organization_alias")}, which spans several teams, has no counterpart here`,
    );
  }
  return {
    ...{ id, kind: "organization", username: handleOf(name, teamId), role: 1, email: "" },
    display_name: [...name].slice(0, LONGEST_NAME).join(""),
    status: flagOf(row, "blocked") ? 2 : 1,
    quota: isTotal ? restOf(budget) : options.balance,
    ...rates(row),
    created_at: secondsIn(row, "created_at"),
  };
}

function readTeam(
  row: SourceRow,
  { personOf, teamOf }: Pick<Accounts, "personOf" | "teamOf">,
  { budgets, memberships }: LiteLlmTables,
  { report, unitsAUsd }: Options,
): Team {
  const teamId = textOf(row, "team_id");
  const own = memberships.filter((entry) => textOf(entry, "team_id") === teamId);
  const listed = Array.isArray(row.members_with_roles) ? row.members_with_roles : [];
  report.section("members").read += listed.length;
  const members = listed.flatMap((entry: unknown) => {
    const { user_id: user, role } = recordOf(entry) ?? {};
    const userId = personOf.get(String(user));
    if (userId === undefined) return report.skip("members", "LiteLLM has no such user") ?? [];
    const membership = own.find((candidate) => textOf(candidate, "user_id") === user);
    return [
      { userId, isAdmin: role === "admin", budget: membership ? budgetOf(membership, budgets, unitsAUsd) : null },
    ];
  });
  const budget = budgetOf(row, budgets, unitsAUsd);
  return {
    id: teamOf.get(teamId) ?? 0,
    members,
    budget: budget?.period === "total" ? null : budget,
    models: limitedModels(row),
  };
}
