import Box from "@mui/material/Box";
import { Fragment, type ReactNode } from "react";

type Items = readonly (readonly [string, ReactNode])[];

/** Aligned pairs: a muted name on the left, the value on the right. */
export const KeyValue = ({ items, width = 104 }: { items: Items; width?: number }) => (
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

/** Figures next to each other: a muted name, and the value below it. */
export const KeyValueTiles = ({ items }: { items: Items }) => (
  <Box
    component="dl"
    sx={{ m: 0, display: "grid", gridTemplateColumns: "repeat(auto-fill, minmax(min(180px, 42%), 1fr))", gap: 4 }}
  >
    {items.map(([name, value]) => (
      <Box key={name}>
        <Box component="dt" sx={{ fontSize: 12, color: "text.tertiary" }}>
          {name}
        </Box>
        <Box component="dd" className="num" sx={{ m: 0, fontSize: 14 }}>
          {value}
        </Box>
      </Box>
    ))}
  </Box>
);
