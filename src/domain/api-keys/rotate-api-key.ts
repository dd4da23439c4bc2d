import { OperationError } from "../../lib/operation-error.ts";
import { findRotation } from "../accounts/organizations/policies/manage-policies.ts";
import { type ApiKeyView, secretSinceOf } from "./api-key-view.ts";
import { newKey } from "./new-key.ts";
import type { ApiKeyDeps, Owner } from "./operation.ts";
import { changeToken } from "./update-api-key.ts";

/** For so long an old key may go on working at most. */
const LONGEST_GRACE_SECONDS = 30 * 86_400;

/**
 * Gives one of the owner's keys a new secret and returns it in clear. The old one works for `graceSeconds` more, but no
 * longer than a policy of an organization lets it get old, now or later; one that an earlier rotation left working ends now. Throws
 * OperationError.
 */
export async function rotateToken(
  deps: ApiKeyDeps,
  owner: Owner,
  id: number,
  graceSeconds: number,
  nowSeconds: number,
): Promise<ApiKeyView> {
  if (!Number.isSafeInteger(graceSeconds) || graceSeconds < 0 || graceSeconds > LONGEST_GRACE_SECONDS) {
    throw new OperationError("token_grace_invalid", { days: LONGEST_GRACE_SECONDS / 86_400 });
  }
  return changeToken(deps, owner, id, async (before, tx) => {
    const rotation = owner.member && (await findRotation(tx, owner.id, before.projectId));
    const oldest = rotation ? secretSinceOf(before) + rotation.seconds : Number.POSITIVE_INFINITY;
    const until = Math.min(nowSeconds + graceSeconds, oldest);
    const keepsOldKey = until > nowSeconds;
    return {
      ...newKey(deps.vault),
      secretSince: nowSeconds,
      previousKeyHash: keepsOldKey ? before.keyHash : null,
      previousKeyUntil: keepsOldKey ? until : 0,
      previousSecretSince: keepsOldKey ? secretSinceOf(before) : 0,
    };
  });
}
