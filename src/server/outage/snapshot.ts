import type { WrittenUpTo } from "../../billing/journal/journal.ts";
import { type Balance, SUBJECTS, type Subject } from "../../billing/subject.ts";
import { UserTable } from "../../domain/accounts/directory.ts";
import {
  type BudgetEntry,
  type BudgetLookup,
  createBudgetIndex,
} from "../../domain/accounts/organizations/budgets/directory.ts";
import { createPolicyIndex, type PolicyLookup } from "../../domain/accounts/organizations/policies/directory.ts";
import type { PolicyEntry } from "../../domain/accounts/organizations/policies/policy.ts";
import { ApiKeyTable } from "../../domain/api-keys/directory/api-key-table.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";
import { readMcpRules } from "../../domain/models/mcp/definition.ts";
import { createMcpIndex, type McpLookup, type McpServer } from "../../domain/models/mcp/directory.ts";
import { createPlanTermsIndex, type PlanTerms, type PlanTermsLookup } from "../../domain/wallet/plans/limits/terms.ts";
import { NameMap, namePattern } from "../../lib/values/patterns/name-patterns.ts";
import type { PackedRow } from "../../lib/values/tables/packed-rows.ts";
import type { OptionKey } from "../../settings/registry/index.ts";
import { commit, version } from "../version.ts";

/** What a process needs to serve calls without the database. */
export type Snapshot = Readonly<{
  /** Epoch milliseconds. */
  takenAt: number;
  /** Processes on the database, the one that took it included. */
  liveProcesses: number;
  /** The balances are those after the charges of the process that took it up to here. */
  writtenUpTo: WrittenUpTo;
  options: ReadonlyMap<OptionKey, string>;
  channels: readonly ChannelEntry[];
  users: UserTable;
  tokens: ApiKeyTable;
  budgets: BudgetLookup;
  policies: PolicyLookup;
  planTerms: PlanTermsLookup;
  mcpServers: McpLookup;
  balances: Readonly<Record<Subject, ReadonlyMap<number, Omit<Balance, "id">>>>;
}>;

/** Where a snapshot is taken from. */
export type SnapshotSource = Readonly<{
  liveProcesses: number;
  writtenUpTo: WrittenUpTo;
  options: readonly (readonly [OptionKey, string])[];
  channels: Iterable<ChannelEntry>;
  users: Iterable<PackedRow>;
  tokens: Iterable<PackedRow>;
  budgets: Iterable<BudgetEntry>;
  policies: Iterable<PolicyEntry>;
  planTerms: Iterable<PlanTerms>;
  mcpServers: Iterable<McpServer>;
  balances(subject: Subject): Iterable<Balance>;
}>;

/** Another shape of what is in a file needs another number; so does each release. */
const FORMAT = `7 ${version} ${commit}`;

/** Few enough for a pause that no call notices. */
const ROWS_A_SLICE = 200;

const storedChannel = (channel: ChannelEntry) => ({
  ...channel,
  references: [...channel.references],
  disabledKeys: [...channel.disabledKeys],
  modelMapping: [...channel.modelMapping],
  modelPatterns: channel.modelPatterns?.map(({ source }) => source) ?? null,
  statusCodeMapping: [...channel.statusCodeMapping],
});
/** What is made of the definition is made of it again. */
const storedServer = ({ id, name, definition, secret, offered }: McpServer) => ({
  ...{ id, name, definition, secret, offered },
});
type StoredRow = readonly [id: number, text: string];
const storedRow = ({ id, text }: PackedRow): StoredRow => [id, text];
type StoredBalance = readonly [id: number, quota: number, held: number, own: number];
const storedBalance = ({ id, quota, held, own }: Balance): StoredBalance => [id, quota, held, own];

type Header = Readonly<{ format: string; database: string; takenAt: number }> &
  Pick<Snapshot, "liveProcesses" | "writtenUpTo">;

/** One part of a snapshot, as it is written. */
type Slice =
  | Readonly<{ kind: "header"; header: Header }>
  | Readonly<{ kind: "options"; rows: readonly (readonly [OptionKey, string])[] }>
  | Readonly<{ kind: "channels"; rows: readonly ReturnType<typeof storedChannel>[] }>
  | Readonly<{ kind: "users" | "tokens"; rows: readonly StoredRow[] }>
  | Readonly<{ kind: "budgets"; rows: readonly BudgetEntry[] }>
  | Readonly<{ kind: "policies"; rows: readonly PolicyEntry[] }>
  | Readonly<{ kind: "planTerms"; rows: readonly PlanTerms[] }>
  | Readonly<{ kind: "mcpServers"; rows: readonly ReturnType<typeof storedServer>[] }>
  | Readonly<{ kind: Subject; rows: readonly StoredBalance[] }>
  | Readonly<{ kind: "end"; slices: number }>;

/** The parts of a snapshot as texts of JSON, made one by one. `database`: distinguishes the databases of a data directory. */
export function* writeSlices(source: SnapshotSource, database: string, takenAt: number): Generator<string> {
  let slices = 0;
  for (const slice of slicesOf(source, database, takenAt)) {
    slices += 1;
    yield JSON.stringify(slice);
  }
  yield JSON.stringify({ kind: "end", slices } satisfies Slice);
}

function* slicesOf(source: SnapshotSource, database: string, takenAt: number): Generator<Slice> {
  const { liveProcesses, writtenUpTo } = source;
  yield { kind: "header", header: { format: FORMAT, database, takenAt, liveProcesses, writtenUpTo } };
  yield { kind: "options", rows: source.options };
  for (const rows of inSlices(source.channels, storedChannel)) yield { kind: "channels", rows };
  for (const rows of inSlices(source.users, storedRow)) yield { kind: "users", rows };
  for (const rows of inSlices(source.tokens, storedRow)) yield { kind: "tokens", rows };
  for (const rows of inSlices(source.budgets, (budget) => budget)) yield { kind: "budgets", rows };
  for (const rows of inSlices(source.policies, (policy) => policy)) yield { kind: "policies", rows };
  for (const rows of inSlices(source.planTerms, (terms) => terms)) yield { kind: "planTerms", rows };
  for (const rows of inSlices(source.mcpServers, storedServer)) yield { kind: "mcpServers", rows };
  for (const kind of SUBJECTS) for (const rows of inSlices(source.balances(kind), storedBalance)) yield { kind, rows };
}

function* inSlices<Row, Stored>(rows: Iterable<Row>, store: (row: Row) => Stored): Generator<Stored[]> {
  let slice: Stored[] = [];
  for (const row of rows) {
    if (slice.push(store(row)) < ROWS_A_SLICE) continue;
    yield slice;
    slice = [];
  }
  if (slice.length > 0) yield slice;
}

/**
 * The snapshot of its parts, which this release has written. Null when another release wrote them, when they are of another
 * database, or when some are missing.
 */
export function readSlices(texts: Iterable<string>, database: string): Snapshot | null {
  let header: Header | null = null;
  let options: Snapshot["options"] = new Map();
  const channels: ChannelEntry[] = [];
  const tables = { users: new UserTable(), tokens: new ApiKeyTable() };
  const budgets: BudgetEntry[] = [];
  const policies: PolicyEntry[] = [];
  const planTerms: PlanTerms[] = [];
  const mcpServers: McpServer[] = [];
  const balances = { user: new Map(), token: new Map(), budget: new Map() } satisfies Record<
    Subject,
    Map<number, Omit<Balance, "id">>
  >;
  let slices = 0;
  for (const text of texts) {
    // Nobody else can have written it: each part is encrypted under this installation's key.
    const slice = JSON.parse(text) as Slice;
    if (slice.kind === "end")
      return header && slice.slices === slices
        ? {
            ...{ ...header, ...tables, options, channels, balances },
            ...{ budgets: createBudgetIndex(budgets), policies: createPolicyIndex(policies) },
            ...{ planTerms: createPlanTermsIndex(planTerms), mcpServers: createMcpIndex(mcpServers) },
          }
        : null;
    slices += 1;
    switch (slice.kind) {
      case "header":
        ({ header } = slice);
        if (header.format !== FORMAT || header.database !== database) return null;
        break;
      case "options":
        options = new Map(slice.rows);
        break;
      case "channels":
        channels.push(...slice.rows.map(channelOf));
        break;
      case "users":
      case "tokens":
        for (const [id, text] of slice.rows) tables[slice.kind].put({ id, text });
        break;
      case "budgets":
        budgets.push(...slice.rows);
        break;
      case "policies":
        policies.push(...slice.rows);
        break;
      case "planTerms":
        planTerms.push(...slice.rows);
        break;
      case "mcpServers":
        mcpServers.push(...slice.rows.map((stored) => ({ ...readMcpRules(stored.definition), ...stored })));
        break;
      default:
        for (const [id, quota, held, own] of slice.rows) balances[slice.kind].set(id, { quota, held, own });
    }
  }
  return null;
}

const channelOf = (stored: ReturnType<typeof storedChannel>): ChannelEntry => ({
  ...stored,
  references: new Map(stored.references),
  disabledKeys: new Set(stored.disabledKeys),
  modelMapping: new NameMap(stored.modelMapping),
  modelPatterns: stored.modelPatterns?.map(namePattern) ?? null,
  statusCodeMapping: new Map(stored.statusCodeMapping),
});
