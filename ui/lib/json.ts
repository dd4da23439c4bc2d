/** Whether a value is an object, so that its members can be read. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** Parses JSON text of an object; null if it is something else. */
export function readRecord(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** The object's values by name, if all are of one type; null if one is not, or it is no object. */
export function mapOf<Value>(object: unknown, isValue: (value: unknown) => value is Value) {
  if (!isRecord(object) || Array.isArray(object)) return null;
  const map: Record<string, Value> = {};
  for (const [name, value] of Object.entries(object)) {
    if (!isValue(value)) return null;
    map[name] = value;
  }
  return map;
}

export const isText = (value: unknown): value is string => typeof value === "string";
export const isNumber = (value: unknown): value is number => typeof value === "number";
