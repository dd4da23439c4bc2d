import Box from "@mui/material/Box";
import Typography from "@mui/material/Typography";
import type { ReactNode } from "react";
import { Col } from "../layout.tsx";

type Props = {
  icon: ReactNode;
  title: string;
  body: string;
  action?: ReactNode;
  /** Fills the whole page instead of a part of it. */
  isPage?: boolean;
};

/** What this place is for, and the next step. */
export const EmptyState = (props: Props) => (
  <Col gap={1} sx={{ alignItems: "center", textAlign: "center", py: 12, px: 6 }}>
    <Box
      sx={{
        width: 44,
        height: 44,
        mb: 2,
        display: "grid",
        placeItems: "center",
        borderRadius: 1,
        border: "1px solid",
        borderColor: "line.main",
        bgcolor: "surface.sunken",
        color: "text.secondary",
        "& svg": { fontSize: 22 },
      }}
    >
      {props.icon}
    </Box>
    <Typography variant="h2" component={props.isPage ? "h1" : "h2"}>
      {props.title}
    </Typography>
    <Typography variant="body2" sx={{ color: "text.secondary", maxWidth: 380, textWrap: "balance" }}>
      {props.body}
    </Typography>
    {props.action && <Box sx={{ mt: 3 }}>{props.action}</Box>}
  </Col>
);
