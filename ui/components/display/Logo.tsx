import Box from "@mui/material/Box";

/** A gate of two bars with the wave passing under it, in one color. */
export const Logo = ({ size = 20 }: { size?: number }) => (
  <Box
    component="svg"
    viewBox="0 0 16 16"
    fill="none"
    aria-hidden
    sx={{ width: size, height: size, flex: "none", display: "block", color: "primary.main" }}
  >
    <path fill="currentColor" d="M2 1h12v2.6H2zM2 5.6h12v2.6H2z" />
    <path
      stroke="currentColor"
      strokeWidth="2.1"
      strokeLinecap="round"
      d="M1.2 12.9c2.3-2.2 4.5-2.2 6.8 0s4.5 2.2 6.8 0"
    />
  </Box>
);
