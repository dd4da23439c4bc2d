import { arrayContains, arrayOverlaps, type SQL, sql } from "drizzle-orm";
import { logs } from "../../../db/schema/logs/logs.ts";
import { type JsonObject, parseJson, recordOf, recordsOf } from "../../formats/json.ts";
import { GUARDRAIL_TAG, OUTCOME_TAGS } from "../../settings/option/guardrails.ts";

/** What one verdict of a guardrail about a call may be limited to. */
export type VerdictFilter = Readonly<{
  /** The guardrail's name. */
  name?: string;
  action?: string;
  kind?: string;
  /** In shadow mode it says what would have happened. */
  isShadow?: boolean;
}>;

/** Rows with such a verdict: found by their tags, of which each stands for one part of it, and read to be exact. */
export function hasVerdict(filter: VerdictFilter): SQL {
  const { name = null, action = null, kind = null, isShadow } = filter;
  const tagged = taggedBy(filter);
  const parts = [
    ...(name === null ? [] : ["@.name == $name"]),
    ...(action === null ? [] : ["@.action == $action"]),
    ...(kind === null ? [] : ["@.kind == $kind"]),
    ...(isShadow === undefined ? [] : [isShadow ? "@.shadow == true" : "!exists(@.shadow)"]),
  ];
  const path = `$.guardrails.verdicts[*]${parts.length > 0 ? ` ? (${parts.join(" && ")})` : ""}`;
  const values = JSON.stringify({ name, action, kind });
  return sql`(${tagged} and case when ${tagged}
    then jsonb_path_exists(${logs.other}::jsonb, ${path}::jsonpath, ${values}::jsonb) else false end)`;
}

function taggedBy({ name, action, isShadow }: VerdictFilter): SQL {
  const tag = (word: string) => GUARDRAIL_TAG + word;
  if (name) return arrayContains(logs.tags, [tag(name)]);
  if (isShadow) return arrayContains(logs.tags, [tag("shadow")]);
  if (!action) return arrayOverlaps(logs.tags, [...OUTCOME_TAGS]);
  return isShadow === false
    ? arrayContains(logs.tags, [tag(action)])
    : arrayOverlaps(logs.tags, [tag(action), tag("shadow")]);
}

/** Whether the notes of an archived row have such a verdict. */
export function notesHaveVerdict({ name, action, kind, isShadow }: VerdictFilter, other: string): boolean {
  if (!other.includes('"guardrails"')) return false;
  const verdicts = recordsOf(recordOf(recordOf(parseJson(other))?.guardrails)?.verdicts);
  const isEqual = (expected: string | undefined, value: unknown) => expected === undefined || expected === value;
  return verdicts.some(
    (verdict: JsonObject) =>
      isEqual(name, verdict.name) &&
      isEqual(action, verdict.action) &&
      isEqual(kind, verdict.kind) &&
      (isShadow === undefined || isShadow === (verdict.shadow === true)),
  );
}
