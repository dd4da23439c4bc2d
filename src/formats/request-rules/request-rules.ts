import type { NumberLimit } from "./number-limits.ts";
import { type RequestMembers, requestMembers } from "./request-members.ts";

/** What a client format's requests must satisfy before the gateway reads them. */
export type RequestRules = Readonly<{
  members: RequestMembers;
  numbers: readonly NumberLimit[];
  /** Top-level members that are true, false or null: lenient parsers read "true" and 1 as true. */
  switches: readonly string[];
}>;

/** Rules for bodies of other servers: only duplicate names are rejected. */
export const noRules: RequestRules = { members: requestMembers(""), numbers: [], switches: [] };
