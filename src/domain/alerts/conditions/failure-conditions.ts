import { logOf } from "../../../../db/server/log-database.ts";
import { readFailures } from "../../logs/failures/read-failures.ts";
import type { FindConditions } from "./condition.ts";

const MINUTE_SECONDS = 60;
/** So many causes at once say that the threshold is too low. */
const MOST_CAUSES = 50;
const MOST_CHARACTERS = 300;

/** Calls of the last minutes that failed alike, of each cause that is neither muted nor resolved, or of one. */
export const findFailures: FindConditions = async ({ db }, { owner, threshold, windowMinutes, now, name = "" }) => {
  const period = { start: now - windowMinutes * MINUTE_SECONDS, end: now };
  const whose = owner === "site" ? {} : { userId: owner };
  const { groups } = await readFailures(logOf(db), { ...period, ...whose });
  return groups
    .filter((group) => group.state === "open" && group.count >= threshold && (name === "" || group.cause === name))
    .slice(0, MOST_CAUSES)
    .map((group) => ({
      subject: `failures/${group.cause}`,
      severity: "error" as const,
      notice: {
        type: "failures" as const,
        title: { en: "Requests fail for the same reason", zh: "请求因同一原因失败" },
        content: {
          en: "{{value}} requests to {{value}} failed in the last {{value}} min: {{value}}",
          zh: "{{value}} 次对 {{value}} 的请求失败（最近 {{value}} 分钟）：{{value}}",
        },
        values: [
          group.count,
          group.model,
          windowMinutes,
          (group.example.error ?? group.code).slice(0, MOST_CHARACTERS),
        ],
        path: `/failures?cause=${encodeURIComponent(group.cause)}`,
      },
    }));
};
