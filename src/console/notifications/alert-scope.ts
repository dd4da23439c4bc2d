import { t } from "elysia";
import { ROLE } from "../../domain/accounts/roles.ts";
import type { AlertOwner } from "../../domain/alerts/destinations.ts";
import { OperationError } from "../../lib/operation-error.ts";

/** Whose alerts a request is about: users have their own, administrators also the site's. */
export const alertScope = { scope: t.Union([t.Literal("own"), t.Literal("site")]) };

/** The owner that a scope means for this caller. Throws OperationError when they may not use it. */
export function ownerOf({ id, role }: Readonly<{ id: number; role: number }>, scope: "own" | "site"): AlertOwner {
  if (scope === "own") return id;
  if (role < ROLE.admin) throw new OperationError("permission_denied");
  return "site";
}
