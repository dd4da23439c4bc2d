import { and, eq, isNull } from "drizzle-orm";
import { redemptionCodes } from "../../../../db/schema/wallet/codes.ts";
import type { Db, Tx } from "../../../../db/types.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { isOneOf } from "../../../lib/values/sql-text.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import { findAnyPlan } from "../plans/subscribe.ts";
import {
  type CodeChange,
  type CodeDeps,
  type CodeValues,
  checkWindow,
  readCodeChange,
  worthName,
} from "./code-input.ts";
import { CODE_STATUS, type CodeView } from "./code-view.ts";
import { getCode } from "./list-codes.ts";

type Actor = Readonly<{ id: number }>;
type Code = typeof redemptionCodes.$inferSelect;

/** Changes name, quota or window of a code that is unused; a blank name becomes what it is worth. Throws OperationError. */
export async function updateCode(deps: CodeDeps, actor: Actor, id: number, input: CodeChange): Promise<CodeView> {
  const changed = readCodeChange(input);
  return change(deps.db, actor, id, "update", async (code, tx) => {
    if (code.status !== CODE_STATUS.unused) throw new OperationError("code_not_editable");
    checkWindow(changed.validFrom ?? code.validFrom, changed.validUntil ?? code.validUntil);
    const values = code.planId === null ? changed : { ...changed, quota: 0 };
    if (input.name === undefined || values.name !== undefined) return values;
    const plan = code.planId === null ? undefined : await findAnyPlan(tx, code.planId);
    return { ...values, name: worthName(deps.settings, values.quota ?? code.quota, plan ?? null) };
  });
}

/** Enables (1) or disables (2) a code; a used one stays used. Throws OperationError. */
export async function setCodeStatus(db: Db, actor: Actor, id: number, status: number): Promise<CodeView> {
  if (status !== CODE_STATUS.unused && status !== CODE_STATUS.disabled) throw new OperationError("code_status_invalid");
  return change(db, actor, id, status === CODE_STATUS.unused ? "enable" : "disable", (code) => {
    if (code.status === CODE_STATUS.used) throw new OperationError("code_is_used");
    return { status };
  });
}

/** Disables those of the codes that are unused; returns how many that were. */
export async function disableCodes(db: Db, actor: Actor, ids: readonly number[]): Promise<number> {
  return db.transaction(async (tx) => {
    const rows = await tx
      .update(redemptionCodes)
      .set({ status: CODE_STATUS.disabled })
      .where(
        and(
          isOneOf(redemptionCodes.id, ids),
          eq(redemptionCodes.status, CODE_STATUS.unused),
          isNull(redemptionCodes.deletedAt),
        ),
      )
      .returning({ id: redemptionCodes.id });
    if (rows.length > 0) {
      await writeManagementLog(tx, actor, `Disabled ${rows.length} redemption codes`, {
        note: { code: "codes_disabled", params: { count: rows.length } },
        action: "disable",
        target: "code",
        ids: rows.map((row) => row.id),
        before: { status: CODE_STATUS.unused },
        after: { status: CODE_STATUS.disabled },
      });
    }
    return rows.length;
  });
}

const NOTES = { update: "code_changed", enable: "code_enabled", disable: "code_disabled" } as const;
const PAST = { update: "Changed", enable: "Enabled", disable: "Disabled" } as const;

async function change(
  db: Db,
  actor: Actor,
  id: number,
  action: keyof typeof PAST,
  decide: (code: Code, tx: Tx) => CodeValues | Promise<CodeValues>,
): Promise<CodeView> {
  await db.transaction(async (tx) => {
    const [code] = await tx
      .select()
      .from(redemptionCodes)
      .where(and(eq(redemptionCodes.id, id), isNull(redemptionCodes.deletedAt)))
      .for("update");
    if (!code) throw new OperationError("code_not_found");
    const input = await decide(code, tx);
    const fields = (Object.keys(input) as (keyof Code)[]).filter((field) => input[field] !== code[field]);
    if (fields.length === 0) return;
    await tx.update(redemptionCodes).set(input).where(eq(redemptionCodes.id, id));
    await writeManagementLog(tx, actor, `${PAST[action]} redemption code ${code.name} (#${id})`, {
      note: { code: NOTES[action], params: { name: code.name, id } },
      action,
      target: "code",
      ids: [id],
      before: Object.fromEntries(fields.map((field) => [field, code[field]])),
      after: Object.fromEntries(fields.map((field) => [field, input[field]])),
    });
  });
  return getCode(db, id);
}
