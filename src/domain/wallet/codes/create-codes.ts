import { randomBytes } from "node:crypto";
import { redemptionCodes } from "../../../../db/schema/wallet/codes.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import { findPlan } from "../plans/subscribe.ts";
import {
  type CodeDeps,
  checkWindow,
  type NewCodes,
  readCodeChange,
  readCount,
  readKey,
  readMaxUses,
  worthName,
} from "./code-input.ts";

const KEY_BYTES = 16;

/** Makes codes, all or none, and returns their keys; a blank name becomes what they are worth. Throws OperationError when a field is refused or a key is taken. */
export async function createCodes(
  { db, settings }: CodeDeps,
  actor: Readonly<{ id: number }>,
  input: NewCodes,
): Promise<string[]> {
  const planId = input.plan_id ?? null;
  // A code for a plan is worth the plan alone.
  const values = { ...readCodeChange(planId === null ? input : { ...input, quota: undefined }), planId };
  checkWindow(input.valid_from ?? 0, input.valid_until ?? 0);
  const isGift = input.is_gift === true;
  const maxUses = readMaxUses(input);
  const chosen = readKey(input);
  const keys = Array.from({ length: readCount(input) }, () => chosen ?? randomBytes(KEY_BYTES).toString("hex"));
  const quota = planId === null ? input.quota : 0;
  await db.transaction(async (tx) => {
    const plan = planId === null ? null : await findPlan(tx, planId);
    const name = values.name ?? worthName(settings, quota, plan);
    const common = { ...values, name, quota, userId: actor.id, isGift, maxUses };
    const made = await tx
      .insert(redemptionCodes)
      .values(keys.map((key) => ({ ...common, key, createdTime: nowSeconds() })))
      .onConflictDoNothing()
      .returning({ id: redemptionCodes.id });
    if (made.length < keys.length) throw new OperationError("code_key_taken");
    await writeManagementLog(
      tx,
      actor,
      `Created ${made.length} redemption ${made.length === 1 ? "code" : "codes"} named ${name}`,
      {
        note: { code: "codes_created", params: { count: made.length, name } },
        action: "create",
        target: "code",
        ids: made.map(({ id }) => id),
        after: {
          name,
          quota,
          plan_id: planId,
          is_gift: isGift,
          max_uses: maxUses,
          count: made.length,
        },
      },
    );
  });
  return keys;
}
