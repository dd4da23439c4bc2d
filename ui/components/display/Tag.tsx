import Box from "@mui/material/Box";
import type { ReactNode } from "react";
import type { ToneName } from "./StatusChip.tsx";

/** A small outlined label: a tag, a group, a mode; with a tone where it should stand out. */
export const Tag = ({ children, mono, tone }: { children: ReactNode; mono?: boolean; tone?: ToneName }) => (
  <Box
    component="span"
    className={mono ? "mono" : ""}
    sx={{
      display: "inline-block",
      maxWidth: "100%",
      flex: "none",
      overflow: "hidden",
      textOverflow: "ellipsis",
      whiteSpace: "nowrap",
      px: 1.5,
      height: 20,
      lineHeight: "18px",
      border: "1px solid",
      borderColor: tone ? `tone.${tone}.solid` : "line.main",
      borderRadius: "5px",
      fontSize: 12,
      color: tone ? `tone.${tone}.text` : "text.secondary",
      bgcolor: tone ? `tone.${tone}.tint` : "surface.paper",
      verticalAlign: "middle",
    }}
  >
    {children}
  </Box>
);

/** The name of a group. */
export const GroupTag = ({ group }: { group: string }) => {
  const tone = TONES[group];
  return <Tag {...(tone && { tone })}>{group}</Tag>;
};

/** Premium groups, in their customary colors. */
const TONES: Readonly<Record<string, ToneName>> = { vip: "warn", pro: "warn", svip: "bad", premium: "bad" };
