import type { ToneName } from "./StatusChip.tsx";
import { Tag } from "./Tag.tsx";

/** Groups that pay for more than others, in the colours that people know them by. */
const TONES: Readonly<Record<string, ToneName>> = { vip: "warn", pro: "warn", svip: "bad", premium: "bad" };

/** The name of a group. */
export const GroupTag = ({ group }: { group: string }) => {
  const tone = TONES[group];
  return <Tag {...(tone && { tone })}>{group}</Tag>;
};
