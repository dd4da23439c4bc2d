import Link from "@mui/material/Link";
import { Link as RouterLink } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Row } from "../../components/layout.tsx";

type Target = "/login" | "/register" | "/reset";
const WORDS = { "/login": "toLogin", "/register": "toRegister", "/reset": "toReset" } as const;

/** From one page before the console to the others. */
export const EntryLinks = ({ to }: { to: readonly Target[] }) => {
  const { t } = useTranslation();
  return (
    <Row gap={4} wrap sx={{ mt: 5, fontSize: 13, justifyContent: "space-between" }}>
      {to.map((target) => (
        <Link key={target} component={RouterLink} to={target} sx={{ py: 1 }}>
          {t(`login.links.${WORDS[target]}`)}
        </Link>
      ))}
    </Row>
  );
};
