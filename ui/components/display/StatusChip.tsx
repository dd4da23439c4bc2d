import Box from "@mui/material/Box";
import type { ReactNode } from "react";
import { Row } from "../layout.tsx";
import { Tip } from "../tip/Tip.tsx";

export type ToneName = "ok" | "warn" | "bad" | "info" | "idle" | "lime";

type ChipProps = {
  tone: ToneName;
  children: ReactNode;
  /** Why, and since when: shown on hover and focus. */
  reason?: ReactNode;
  /** Without a fill, for columns where most rows are healthy. */
  quiet?: boolean;
  dot?: boolean;
};

const EXPLAINED = {
  textDecoration: "underline dotted",
  textUnderlineOffset: 3,
  textDecorationColor: "color-mix(in srgb, currentColor 45%, transparent)",
  cursor: "help",
} as const;

/** A state by color and by word. */
export const StatusChip = ({ tone, children, reason, quiet, dot = true }: ChipProps) => {
  const chip = (
    <Box
      component="span"
      tabIndex={reason ? 0 : undefined}
      sx={{
        display: "inline-flex",
        alignItems: "center",
        gap: 1.5,
        height: 22,
        px: quiet ? 0 : 2,
        borderRadius: "6px",
        fontSize: 12,
        fontWeight: 520,
        whiteSpace: "nowrap",
        color: quiet ? "text.primary" : `tone.${tone}.text`,
        bgcolor: quiet ? "transparent" : `tone.${tone}.tint`,
        verticalAlign: "middle",
        ...(reason ? EXPLAINED : {}),
      }}
    >
      {dot && (
        <Box
          component="span"
          sx={{ width: 7, height: 7, borderRadius: "50%", bgcolor: `tone.${tone}.solid`, flex: "none" }}
        />
      )}
      {children}
    </Box>
  );
  if (!reason) return chip;
  return (
    <Tip title={reason} placement="bottom-start" describeChild>
      {chip}
    </Tip>
  );
};

/** A short number on a tint, such as a response time. */
export const ToneBadge = ({ tone, children }: { tone: ToneName; children: ReactNode }) => (
  <Box
    component="span"
    className="num"
    sx={{
      display: "inline-block",
      px: 1.75,
      height: 22,
      lineHeight: "22px",
      borderRadius: "6px",
      fontSize: 12,
      fontWeight: 550,
      color: `tone.${tone}.text`,
      bgcolor: `tone.${tone}.tint`,
    }}
  >
    {children}
  </Box>
);

const MOST_PIPS = 6;

/** One dot per key: how many of them work. */
export const KeyPips = ({ enabled, total, label }: { enabled: number; total: number; label: string }) => (
  <Box role="img" aria-label={label}>
    <Row gap={1.5}>
      <Row gap={0.5}>
        {Array.from({ length: Math.min(total, MOST_PIPS) }, (_, index) => (
          <Box
            // biome-ignore lint/suspicious/noArrayIndexKey: pips have no identity but their place
            key={index}
            sx={{
              width: 4,
              flex: "none",
              height: 12,
              borderRadius: "1.5px",
              bgcolor:
                index < Math.round((enabled / total) * Math.min(total, MOST_PIPS)) ? "tone.ok.solid" : "tone.bad.solid",
            }}
          />
        ))}
      </Row>
      <Box
        component="span"
        className="num"
        sx={{ fontSize: 12, color: enabled < total ? "text.primary" : "text.tertiary" }}
      >
        {enabled}/{total}
      </Box>
    </Row>
  </Box>
);
