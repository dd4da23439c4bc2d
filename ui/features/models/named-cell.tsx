import Box from "@mui/material/Box";

/** The first cell of a list: a name, and what it is for. */
export const namedCell = ({ name, description }: Readonly<{ name: string; description?: string }>) => (
  <Box sx={{ minWidth: 0 }}>
    <Box title={name} sx={{ fontWeight: 560, overflow: "hidden", textOverflow: "ellipsis" }}>
      {name}
    </Box>
    {description && (
      <Box
        title={description}
        sx={{ fontSize: 12, color: "text.tertiary", overflow: "hidden", textOverflow: "ellipsis" }}
      >
        {description}
      </Box>
    )}
  </Box>
);
