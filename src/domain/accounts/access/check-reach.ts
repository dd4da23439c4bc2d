import { OperationError } from "../../../lib/operation-error.ts";
import type { UserEntry } from "../directory.ts";
import { ROLE } from "./roles.ts";

/**
 * Admins act on users below them; super admins on everybody. People with a custom role are above admins: their password would
 * open rights that admins lack. Throws OperationError.
 */
export function checkReach(actor: UserEntry, target: Readonly<{ role: number; adminRoleId: number | null }>): void {
  const isAbove = target.role >= actor.role || target.adminRoleId !== null;
  if (actor.role < ROLE.root && isAbove) throw new OperationError("user_out_of_reach");
}
