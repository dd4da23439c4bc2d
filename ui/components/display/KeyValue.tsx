import Box from "@mui/material/Box";
import { Fragment, type ReactNode } from "react";

/** Aligned pairs: a muted name on the left, the value on the right. */
export const KeyValue = ({
  items,
  width = 104,
}: {
  items: readonly (readonly [string, ReactNode])[];
  width?: number;
}) => (
  <Box
    component="dl"
    sx={{
      m: 0,
      display: "grid",
      gridTemplateColumns: `${width}px minmax(0,1fr)`,
      columnGap: 2,
      rowGap: 1.25,
      fontSize: 12.5,
      lineHeight: "20px",
    }}
  >
    {items.map(([name, value]) => (
      <Fragment key={name}>
        <Box component="dt" sx={{ color: "text.tertiary" }}>
          {name}
        </Box>
        <Box component="dd" sx={{ m: 0, minWidth: 0, overflowWrap: "anywhere" }}>
          {value}
        </Box>
      </Fragment>
    ))}
  </Box>
);
