import Box from "@mui/material/Box";

/** Code to read and copy; scrolls sideways and is focusable for keyboard scrolling. */
export const CodeBox = ({ code, label }: { code: string; label: string }) => (
  <Box
    component="pre"
    tabIndex={0}
    role="region"
    aria-label={label}
    sx={{
      m: 0,
      p: 4,
      overflowX: "auto",
      fontSize: 12.5,
      lineHeight: "21px",
      border: "1px solid",
      borderColor: "line.main",
      borderRadius: 1,
      bgcolor: "surface.paper",
    }}
  >
    {code}
  </Box>
);
