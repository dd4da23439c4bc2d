import Box from "@mui/material/Box";
import Link from "@mui/material/Link";
import Typography from "@mui/material/Typography";
import { Link as RouterLink } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Logo } from "../../../components/display/Logo.tsx";
import { Col, Row } from "../../../components/layout.tsx";

type Props = { title: string; purpose: string; maxWidth: number; children: ReactNode };

/** The centered card of pages outside the console, such as sign-in and setup. */
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

type Target = "/login" | "/register" | "/reset" | "/key";
const WORDS = {
  "/login": "signIn.links.toLogin",
  "/register": "signIn.links.toRegister",
  "/reset": "signIn.links.toReset",
  "/key": "keyUsage.link",
} as const;

/** Links between the pages outside the console. */
export const EntryLinks = ({ to }: { to: readonly Target[] }) => {
  const { t } = useTranslation();
  return (
    <Row gap={4} wrap sx={{ mt: 5, fontSize: 13, justifyContent: "space-between" }}>
      {to.map((target) => (
        <Link key={target} component={RouterLink} to={target} sx={{ py: 1 }}>
          {t(WORDS[target])}
        </Link>
      ))}
    </Row>
  );
};
