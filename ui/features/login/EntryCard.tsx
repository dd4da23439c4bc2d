import Box from "@mui/material/Box";
import Typography from "@mui/material/Typography";
import type { ReactNode } from "react";
import { Logo } from "../../components/Logo.tsx";
import { Col } from "../../components/layout.tsx";

type Props = { title: string; purpose: string; maxWidth: number; children: ReactNode };

/** The card in the middle of the pages before the console: signing in, setting up. */
export const EntryCard = ({ title, purpose, maxWidth, children }: Props) => (
  <Col gap={0} sx={{ flex: 1, alignItems: "center", justifyContent: "center", px: 4, py: { xs: 6, sm: 10 } }}>
    <Box
      sx={{
        width: "100%",
        maxWidth,
        p: { xs: 6, sm: 8 },
        border: "1px solid",
        borderColor: "line.main",
        borderRadius: 1.5,
        bgcolor: "surface.paper",
        "& .MuiOutlinedInput-root": { minHeight: 36 },
      }}
    >
      <Box sx={{ mb: 4 }}>
        <Logo size={32} />
      </Box>
      <Typography variant="h1">{title}</Typography>
      <Typography variant="body2" sx={{ color: "text.secondary", mt: 1, mb: 5 }}>
        {purpose}
      </Typography>
      {children}
    </Box>
  </Col>
);
