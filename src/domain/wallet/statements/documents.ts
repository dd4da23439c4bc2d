import { and, eq, sql } from "drizzle-orm";
import { requireRow } from "../../../../db/require-row.ts";
import { billingProfiles, type Party, statements } from "../../../../db/schema/wallet/statements.ts";
import { ownLogOf } from "../../../../db/server/log-database.ts";
import type { Db } from "../../../../db/types.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { orderBy, type Sorting } from "../../../lib/values/sorting.ts";
import { contains } from "../../../lib/values/sql-text.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import type { Listed, Page } from "../operation.ts";
import { COUNTRIES } from "../payments/tax/country-rules.ts";
import { hasTaxIdFormat, normalizeTaxId } from "../payments/tax/tax-id.ts";
import { computeStatement, monthAt, parseMonth, type StatementDraft } from "./compute-statement.ts";

/** A document as lists show it. */
const fields = {
  id: statements.id,
  number: statements.number,
  kind: statements.kind,
  user_id: statements.userId,
  username: statements.username,
  month: statements.month,
  opening: statements.opening,
  closing: statements.closing,
  credited: statements.credited,
  charged: statements.charged,
  issued_at: statements.issuedAt,
};

export type ListedStatement = {
  id: number;
  number: string;
  /** statement, correction or credit_note. */
  kind: string;
  user_id: number;
  username: string;
  /** 2026-11 */
  month: string;
  /** Quota units. */
  opening: number;
  closing: number;
  credited: number;
  charged: number;
  issued_at: number;
};

/** A document as it is shown: issued, or a draft of a month that has none yet (`id`, `number` and `issuedAt` are null). */
export type StatementDocument = StatementDraft &
  Readonly<{ kind: string; id: number | null; number: string | null; issuedAt: number | null }>;

export const STATEMENT_SORTS = {
  id: statements.id,
  month: statements.month,
  username: statements.username,
  charged: statements.charged,
  closing: statements.closing,
} as const;

/** Issued documents; `userId`: of one account. `keyword` is part of a number or user name. */
export async function listStatements(
  db: Db,
  filter: Readonly<{ userId?: number; month?: string; keyword?: string }>,
  page: Page & Sorting<keyof typeof STATEMENT_SORTS>,
): Promise<Listed<ListedStatement>> {
  const text = filter.keyword?.trim();
  const where = and(
    filter.userId === undefined ? undefined : eq(statements.userId, filter.userId),
    filter.month ? eq(statements.month, parseMonth(filter.month).name) : undefined,
    text ? sql`(${contains(statements.number, text)} or ${contains(statements.username, text)})` : undefined,
  );
  const { total } = requireRow(await db.select({ total: sql<number>`count(*)::int` }).from(statements).where(where));
  const items = await db
    .select(fields)
    .from(statements)
    .where(where)
    .orderBy(...orderBy(STATEMENT_SORTS, statements.id, page))
    .limit(page.pageSize)
    .offset(page.page * page.pageSize);
  return { items, total };
}

/** An issued document; `userId`: only if it is that account's. Throws OperationError. */
export async function readStatement(db: Db, id: number, userId?: number): Promise<StatementDocument> {
  const [row] = await db.select().from(statements).where(eq(statements.id, id));
  if (!row || (userId !== undefined && row.userId !== userId)) {
    throw new OperationError("statement_not_found", {}, { status: 404 });
  }
  return row;
}

/** The present month of an account as a statement that is not issued yet. Throws OperationError. */
export async function draftStatement(
  db: Db,
  settings: SettingsReader,
  userId: number,
  nowSeconds: number,
): Promise<StatementDocument> {
  const draft = await db.transaction(
    (tx) => computeStatement(tx, settings, userId, monthAt(nowSeconds), ownLogOf(db) ?? tx),
    {
      isolationLevel: "repeatable read",
      accessMode: "read only",
    },
  );
  return { ...draft, kind: "statement", id: null, number: null, issuedAt: null };
}

/** Who an account's documents are made out to, as it is entered. */
export type BillingProfile = Required<Party>;

const EMPTY: BillingProfile = { name: "", address: "", taxId: "", country: "" };
const LONGEST = { name: 200, address: 1000, taxId: 100 } as const;

/** Who an account's next statements are made out to. */
export async function readBillingProfile(db: Db, userId: number): Promise<BillingProfile> {
  const [profile] = await db.select().from(billingProfiles).where(eq(billingProfiles.userId, userId));
  if (!profile) return EMPTY;
  const { name, address, taxId, country } = profile;
  return { name, address, taxId, country };
}

/** Saves it; issued documents keep what they say. Throws OperationError: too long, or no tax id of the country. */
export async function saveBillingProfile(db: Db, userId: number, profile: BillingProfile): Promise<void> {
  const { name, address, country } = {
    name: profile.name.trim(),
    address: profile.address.trim(),
    country: profile.country.trim().toUpperCase(),
  };
  if (country !== "" && !COUNTRIES.includes(country)) throw new OperationError("billing_country_unknown");
  // Without a country there is no form to compare with: it stays as it was entered.
  const taxId = country === "" ? profile.taxId.trim() : normalizeTaxId(profile.taxId);
  const texts = { name, address, taxId };
  for (const field of ["name", "address", "taxId"] as const) {
    const max = LONGEST[field];
    if (texts[field].length > max) throw new OperationError("field_length", { field, min: 0, max });
  }
  if (taxId !== "" && !hasTaxIdFormat(taxId, country)) throw new OperationError("billing_tax_id_invalid", { country });
  await db
    .insert(billingProfiles)
    .values({ userId, name, address, taxId, country })
    .onConflictDoUpdate({ target: billingProfiles.userId, set: { name, address, taxId, country } });
}
