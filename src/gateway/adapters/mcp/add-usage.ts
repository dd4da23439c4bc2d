import { type JsonObject, numberOf, recordOf } from "../../../formats/json.ts";

/** The sum of two usages, with their details. */
export function addUsage(sum: JsonObject | null, more: JsonObject | null): JsonObject | null {
  if (!sum || !more) return sum ?? more;
  const names = new Set([...Object.keys(sum), ...Object.keys(more)]);
  const added: JsonObject = {};
  for (const name of names) {
    const [one, other] = [sum[name], more[name]];
    const inner = recordOf(one) ?? recordOf(other);
    added[name] = inner
      ? addUsage(recordOf(one), recordOf(other))
      : typeof one === "number" || typeof other === "number"
        ? (numberOf(one) ?? 0) + (numberOf(other) ?? 0)
        : (other ?? one);
  }
  return added;
}
