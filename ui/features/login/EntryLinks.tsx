import Link from "@mui/material/Link";
import { Link as RouterLink } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Row } from "../../components/layout.tsx";

type Target = "/login" | "/register" | "/reset" | "/key";
const WORDS = {
  "/login": "login.links.toLogin",
  "/register": "login.links.toRegister",
  "/reset": "login.links.toReset",
  "/key": "keyUsage.link",
} as const;

/** From one page before the console to the others. */
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
