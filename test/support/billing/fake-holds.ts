import { jest } from "bun:test";
import type { Sql } from "../../../db/types.ts";
import { InsufficientQuota } from "../../../src/billing/ledger/errors.ts";
import { CHUNK_DIVISOR } from "../../../src/billing/ledger/holds.ts";
import { Ledger, type ReserveRequest } from "../../../src/billing/ledger/ledger.ts";
import { Outage } from "../../../src/billing/ledger/outage.ts";
import { BALANCES, SUBJECTS, type Subject } from "../../../src/billing/subject.ts";
import type { UsageRecord } from "../../../src/billing/types.ts";
import { silentLog } from "./start-billing.ts";

type Row = { quota: number; held: number };

/**
 * Balances and the holds on them in memory, behind the statements of `holds.ts` and `load-balances.ts`: for tests of what the
 * ledger makes of their answers. That the statements do the same is tested on the engines.
 */
export class FakeHolds {
  readonly rows = new Map<string, Row>();
  readonly holds = new Map<string, number>();
  /** Statements so far: what they do, and with which accounts. */
  readonly statements: string[] = [];
  /** Thrown by the next statements, the first first; null: that one succeeds. */
  readonly failures: (Error | null)[] = [];
  /** Not resolved before this is. */
  gate: Promise<unknown> = Promise.resolve();

  add(subject: Subject, id: number, quota: number, held = 0): Row {
    const row = { quota, held };
    this.rows.set(keyOf(subject, id), row);
    return row;
  }

  row(subject: Subject, id: number): Row {
    const row = this.rows.get(keyOf(subject, id));
    if (!row) throw new Error("there is no such account");
    return row;
  }

  /** What a process has set aside. */
  heldBy(processId: string, subject: Subject, id: number): number {
    return this.holds.get(`${processId} ${keyOf(subject, id)}`) ?? 0;
  }

  /** As a driver of the database. */
  get sql(): Sql {
    const run = (text: TemplateStringsArray | string, ...values: unknown[]) => {
      if (typeof text === "string") return { identifier: text };
      // A part of a statement that adds nothing to it.
      if (text.join("") === "") return "";
      return this.#run(text.join(" "), values);
    };
    return run as unknown as Sql;
  }

  async #run(text: string, values: readonly unknown[]): Promise<unknown[]> {
    await this.gate;
    const kind = kindOf(text);
    const failure = this.failures.shift();
    if (failure) {
      this.statements.push(`${kind} failed`);
      throw failure;
    }
    if (kind === "renew") this.statements.push(kind);
    if (kind === "renew") return [{ unknown: true, live: 1, expired: 0 }];
    if (kind === "keep") return [{ done: this.#keep(values) }];
    const numbers = values.filter((value): value is number[] => Array.isArray(value));
    const names = values.flatMap((value) => (isIdentifier(value) ? [value.identifier] : []));
    const processId = values.find((value) => typeof value === "string") as string;
    const subject = SUBJECTS.find((one) => names.includes(BALANCES[one].table)) as Subject;
    const [ids = [], ...columns] = numbers;
    this.statements.push(`${kind} ${subject} ${ids.join(",")}`);
    return ids.flatMap((id, at) => {
      const row = this.rows.get(keyOf(subject, id));
      if (!row) return [];
      const key = `${processId} ${keyOf(subject, id)}`;
      const own = this.holds.get(key) ?? 0;
      const argument = (column: number) => columns[column]?.[at] ?? 0;
      const change =
        kind === "acquire"
          ? granted(row, { need: argument(0), least: argument(1), owed: argument(2), inChunks: argument(3) === 1 })
          : kind === "release"
            ? // Its ids stand twice before the amounts.
              -Math.min(own, argument(1))
            : 0;
      row.held += change;
      this.holds.set(key, own + change);
      return [{ id, quota: row.quota, held: row.held, own: own + change }];
    });
  }

  /** As far as the ledger's memory is concerned: what the process had set aside, and what is free, is held under the name. */
  #keep(values: readonly unknown[]): boolean {
    const [userId, tokenId] = values as readonly [number, number | null];
    const budgetIds = values.find((value): value is number[] => Array.isArray(value)) ?? [];
    const amount = values.slice(3).find((value): value is number => typeof value === "number") ?? 0;
    const processId = values.find((value) => typeof value === "string") as string;
    const keys = [keyOf("user", userId), ...(tokenId === null ? [] : [keyOf("token", tokenId)])];
    keys.push(...budgetIds.map((id) => keyOf("budget", id)));
    this.statements.push(`keep ${keys.join(", ")}: ${amount}`);
    const parts = keys.map((key) => {
      const own = this.holds.get(`${processId} ${key}`) ?? 0;
      return { key, own, row: this.rows.get(key), moved: Math.min(own, amount) };
    });
    if (parts.some(({ row, moved }) => !row || row.quota - row.held < amount - moved)) return false;
    for (const { key, own, row, moved } of parts) {
      if (row) row.held += amount - moved;
      this.holds.set(`${processId} ${key}`, own - moved);
    }
    return true;
  }
}

const kindOf = (text: string): "acquire" | "release" | "keep" | "renew" | "read" =>
  text.includes("granted as")
    ? "acquire"
    : text.includes("returned as")
      ? "release"
      : text.includes("ready as")
        ? "keep"
        : text.includes("renewed as")
          ? "renew"
          : "read";

const keyOf = (subject: Subject, id: number): string => `${subject} ${id}`;

const isIdentifier = (value: unknown): value is { identifier: string } =>
  typeof value === "object" && value !== null && "identifier" in value;

function granted(
  { quota, held }: Row,
  { need, least, owed, inChunks }: Readonly<{ need: number; least: number; owed: number; inChunks: boolean }>,
): number {
  const free = Math.max(0, quota - held);
  if (need === 0) return 0;
  if (free < least) return Math.min(owed, free);
  return Math.min(Math.max(need, inChunks ? Math.floor(free / CHUNK_DIVISOR) : 0), free);
}

/** Lets what was asked be answered. */
export const settle = async () => {
  for (let turn = 0; turn < 300; turn += 1) await Promise.resolve();
};

/** A ledger on such a database, under fake timers. `statementMs`: how long the database takes for a statement. */
export function openLedger(
  options: { sole?: boolean; others?: number; spendRatio?: number; statementMs?: number } = {},
) {
  const { sole = false, others = 0, spendRatio = 0.5, statementMs = 0 } = options;
  const database = new FakeHolds();
  const outage = new Outage({ spendRatio, liveProcesses: () => others + 1 });
  const collected: string[][] = [];
  const failures: unknown[] = [];
  const peers = { collect: async () => {} };
  const state = { unansweredMs: 0 };
  let turn: Promise<unknown> = Promise.resolve();
  const ledger = new Ledger({
    ...{ sql: database.sql, processId: "me", sole, outage, log: silentLog },
    inTurn: (statement) => {
      const result = turn.then(() => {
        if (statementMs > 0) jest.advanceTimersByTime(statementMs);
        return statement();
      });
      turn = result.catch(() => {});
      return result;
    },
    unansweredMs: () => state.unansweredMs,
    onFailure: (error) => void failures.push(error),
    others: {
      hasOthers: others > 0,
      collect: (accounts) => {
        collected.push(accounts.map(({ subject, id }) => `${subject} ${id}`));
        return peers.collect();
      },
    },
  });
  return { database, outage, collected, failures, ledger, peers, state };
}

/** What a call of user 1 needs. */
export const request = (amount: number, more: Partial<ReserveRequest> = {}): ReserveRequest => ({
  ...{ userId: 1, token: null, amount },
  ...more,
});
/** What a call of user 1 was charged. */
export const charge = (quota: number, more: Partial<UsageRecord> = {}) =>
  ({ userId: 1, tokenId: 0, tokenLimited: false, quota, ...more }) as UsageRecord;
/** True when it was covered, else who refused it. */
export const outcome = async (reserving: Promise<unknown>) => {
  const result = reserving.then(
    () => true,
    (error: unknown) => (error instanceof InsufficientQuota ? `${error.who} ${error.availableUnits}` : String(error)),
  );
  await settle();
  return await Promise.race([result, Promise.resolve("waits")]);
};
