import Box from "@mui/material/Box";
import Typography from "@mui/material/Typography";
import type { ReactNode } from "react";
import { Row } from "./layout.tsx";
import { usePhone } from "./usePhone.ts";

/** The page's title, one line of purpose, its actions on the right (the primary one last). */
export const PageHeader = ({ title, purpose, actions }: { title: string; purpose: string; actions?: ReactNode }) => {
  const isPhone = usePhone();
  return (
    <Row sx={{ mb: isPhone ? 3 : 4, alignItems: isPhone ? "center" : "flex-end" }}>
      <Box sx={{ flex: 1, minWidth: 0 }}>
        <Typography variant="h1">{title}</Typography>
        {!isPhone && (
          <Typography variant="body2" sx={{ color: "text.secondary", mt: 0.5 }}>
            {purpose}
          </Typography>
        )}
      </Box>
      <Row>{actions}</Row>
    </Row>
  );
};
