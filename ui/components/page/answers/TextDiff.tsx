import Box from "@mui/material/Box";
import { diffWordsWithSpace } from "diff";
import { useMemo } from "react";

type Props = Readonly<{ before: string; after: string; shows: "before" | "after" }>;

/** Longer texts are shown without marks: comparing them takes too long. */
const MAX_COMPARED = 20_000;

/** One of two texts, with the words marked that the other does not have. */
export default function TextDiff({ before, after, shows }: Props) {
  const changes = useMemo(
    () => (before.length + after.length > MAX_COMPARED ? null : diffWordsWithSpace(before, after)),
    [before, after],
  );
  if (!changes) return shows === "before" ? before : after;
  return changes.map(({ value, added, removed }, at) => {
    if (shows === "before" ? added : removed) return null;
    if (!added && !removed) return value;
    const sx = added
      ? { bgcolor: "tone.ok.tint", color: "tone.ok.text" }
      : { bgcolor: "tone.bad.tint", color: "tone.bad.text" };
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the texts never change
      <Box key={at} component={added ? "ins" : "del"} sx={{ ...sx, textDecoration: "none" }}>
        {value}
      </Box>
    );
  });
}
