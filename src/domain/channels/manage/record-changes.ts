import { parseJson, recordOf } from "../../../formats/json.ts";
import type { Difference } from "../../logs/write-log.ts";
import type { ChannelRow } from "../entry.ts";
import type { ChannelValues } from "./channel-input.ts";

/** What of these values differs from what the channel has, as the log shows it: no key, no proxy's password. */
export function describeChange(before: Partial<ChannelRow>, values: ChannelValues): Required<Difference> {
  const reported = { before: {} as Record<string, unknown>, after: {} as Record<string, unknown> };
  for (const field of Object.keys(values) as (keyof ChannelValues)[]) {
    const [was, is] = [before[field], values[field]];
    if (field === "keyCipher") reported.after.key = "changed";
    else if (field === "headerOverride" && was !== is) reported.after[field] = namesOf(values.headerOverride);
    else if (field === "models") describeModels(before.models ?? [], values.models ?? [], reported);
    else if (textOf(was) !== textOf(is)) {
      reported.before[field] = textOf(was);
      reported.after[field] = textOf(is);
    }
  }
  return reported;
}

/** Which of these values differ from what the channel has; a key counts as new. */
export const fieldsThatDiffer = (before: ChannelRow, values: ChannelValues): string[] =>
  (Object.keys(values) as (keyof ChannelValues)[])
    .filter((field) => JSON.stringify(before[field]) !== JSON.stringify(values[field]))
    .map((field) => (field === "keyCipher" ? "key" : field));

/** What these values are, for a channel that is new; empty ones say nothing. */
export const describeNew = (values: ChannelValues): Difference => ({
  after: Object.fromEntries(Object.entries(describeChange({}, values).after).filter(([, value]) => value !== "")),
});

/** Headers may hold credentials: only their names are shown. */
const namesOf = (json = ""): string => Object.keys(recordOf(parseJson(json)) ?? {}).join(", ");

/** Channels have thousands of models: the log names those that came and went. */
function describeModels(
  was: readonly string[],
  is: readonly string[],
  reported: Record<"before" | "after", Record<string, unknown>>,
) {
  const [before, after] = [new Set(was), new Set(is)];
  const removed = was.filter((model) => !after.has(model));
  const added = is.filter((model) => !before.has(model));
  if (removed.length > 0) reported.before.models_removed = removed.join(", ");
  if (added.length > 0) reported.after.models_added = added.join(", ");
}

function textOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "string" ? value.replace(/(:\/\/[^\s/:@"]*):[^\s/@"]*@/g, "$1:***@") : value;
}
