import { EFFORTS, type ReasoningEffort } from "./entry.ts";

/** Of the efforts that a model takes the one next to the requested one; the higher of two that are equally near. */
export function nearestEffort(efforts: readonly ReasoningEffort[], requested: ReasoningEffort): ReasoningEffort {
  const rank = EFFORTS.indexOf(requested);
  const distance = (effort: ReasoningEffort) => Math.abs(EFFORTS.indexOf(effort) - rank);
  return efforts.reduce(
    (nearest, effort) =>
      distance(effort) < distance(nearest) ||
      (distance(effort) === distance(nearest) && EFFORTS.indexOf(effort) > EFFORTS.indexOf(nearest))
        ? effort
        : nearest,
    efforts[0] ?? requested,
  );
}

/** Whether a value is one of the efforts of reasoning. */
export const isEffort = (value: unknown): value is ReasoningEffort => (EFFORTS as readonly unknown[]).includes(value);
