import Box from "@mui/material/Box";
import type { ReactNode } from "react";
import { KeyValue } from "../../../components/display/KeyValue.tsx";

const LABEL_PX = 132;

type FigureCardsProps = Readonly<{
  /** What the cards list, for screen readers. */
  label: string;
  rows: readonly Readonly<{ key: string; name: ReactNode; figures: readonly (readonly [string, ReactNode])[] }>[];
}>;

/** The rows of a table on a phone: each with its name, and all its figures below each other. */
export const FigureCards = ({ label, rows }: FigureCardsProps) => (
  <Box component="ul" aria-label={label} sx={{ m: 0, p: 0, listStyle: "none" }}>
    {rows.map(({ key, name, figures }) => (
      <Box
        component="li"
        key={key}
        sx={{
          py: 3,
          borderTop: "1px solid",
          borderColor: "line.faint",
          fontSize: 13,
          "&:first-of-type": { borderTop: 0, pt: 0 },
        }}
      >
        <Box sx={{ mb: 2, fontWeight: 600, overflowWrap: "anywhere" }}>{name}</Box>
        <KeyValue width={LABEL_PX} items={figures} />
      </Box>
    ))}
  </Box>
);
