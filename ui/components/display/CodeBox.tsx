import Box from "@mui/material/Box";
import type { SxProps, Theme } from "@mui/material/styles";
import type { ReactNode } from "react";

type CodeBoxProps = Readonly<{
  code: string;
  label: string;
  /** The code with colors. */
  children?: ReactNode;
  sx?: SxProps<Theme>;
}>;

/** Code to read and copy; scrolls sideways and is focusable for keyboard scrolling. */
export const CodeBox = ({ code, label, children, sx }: CodeBoxProps) => (
  <Box
    component="pre"
    tabIndex={0}
    role="region"
    aria-label={label}
    sx={[
      {
        m: 0,
        p: 4,
        overflowX: "auto",
        fontSize: 12.5,
        lineHeight: "21px",
        border: "1px solid",
        borderColor: "line.main",
        borderRadius: 1,
        bgcolor: "surface.paper",
      },
      ...(Array.isArray(sx) ? sx : [sx]),
    ]}
  >
    {children ?? code}
  </Box>
);
