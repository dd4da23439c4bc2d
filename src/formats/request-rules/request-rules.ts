import type { NumberLimit } from "./number-limits.ts";
import { type RequestMembers, requestMembers } from "./request-members.ts";

/** What a client format's requests must keep to before anything is decided by them. */
export type RequestRules = Readonly<{
  members: RequestMembers;
  numbers: readonly NumberLimit[];
  /** Top-level members that are true, false or null: lenient readers take "true" and 1 for true. */
  switches: readonly string[];
}>;

/** Of what other servers send: nothing is decided by its names but that none may stand twice. */
export const noRules: RequestRules = { members: requestMembers(""), numbers: [], switches: [] };
