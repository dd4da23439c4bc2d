import Box from "@mui/material/Box";
import type { ReactNode } from "react";

/** A small outlined word: a tag, a group, a mode. */
export const Tag = ({ children, mono }: { children: ReactNode; mono?: boolean }) => (
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
      borderColor: "line.main",
      borderRadius: "5px",
      fontSize: 12,
      color: "text.secondary",
      bgcolor: "surface.paper",
      verticalAlign: "middle",
    }}
  >
    {children}
  </Box>
);
