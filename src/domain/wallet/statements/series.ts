import { max, sql } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import {
  CREDIT_KINDS,
  type CreditKind,
  type StatementContent,
  statements,
} from "../../../../db/schema/wallet/statements.ts";
import type { Db, Tx } from "../../../../db/types.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { readParties, type StatementDraft } from "./compute-statement.ts";

export type IssueDeps = Readonly<{ db: Db; settings: SettingsReader }>;

const NO_CREDITS = Object.fromEntries(CREDIT_KINDS.map((kind) => [kind, 0])) as Record<CreditKind, number>;

/** The content of a document about one thing: its parties, and no line. */
export const emptyContent = async (
  tx: Tx,
  settings: SettingsReader,
  userId: number,
  username: string,
): Promise<StatementContent> => ({
  ...(await readParties(tx, settings, userId, username)),
  unitsPerDollar: settings.get("QuotaPerUnit"),
  credits: NO_CREDITS,
  ...{ orders: [], models: [], keys: [] },
});

/** Stores a document under the next number. `source`: what a credit note is for, which has one. To be called `inSeries`. */
export async function writeDocument(
  tx: Tx,
  settings: SettingsReader,
  kind: "statement" | "correction" | "credit_note",
  draft: StatementDraft,
  issuedAt: number,
  source: string | null = null,
): Promise<void> {
  const last = requireRow(await tx.select({ serial: max(statements.serial) }).from(statements));
  const serial = (last.serial ?? 0) + 1;
  const number = `${settings.get("StatementNumberPrefix")}${String(serial).padStart(6, "0")}`;
  await tx.insert(statements).values({ ...draft, kind, serial, number, issuedAt, source });
}

/** Runs `work` on one snapshot, alone with the series of numbers. */
export async function inSeries<Result>(db: Db, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  return db.transaction(
    async (tx) => {
      // Before the snapshot is taken, which the first read does.
      await tx.execute(sql`lock table statements in share row exclusive mode`);
      return work(tx);
    },
    { isolationLevel: "repeatable read" },
  );
}
