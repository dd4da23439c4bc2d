import type { ToneName } from "./StatusChip.tsx";
import { Tag } from "./Tag.tsx";

/** How dear a group is: above 5 red, above 3 orange, above 1 blue, else green. */
export function ratioTone(ratio: number): ToneName {
  if (ratio > 5) return "bad";
  if (ratio > 3) return "warn";
  return ratio > 1 ? "info" : "ok";
}

/** A group's factor on prices, in its colour. */
export const RatioTag = ({ ratio }: { ratio: number }) => <Tag tone={ratioTone(ratio)}>× {ratio}</Tag>;
