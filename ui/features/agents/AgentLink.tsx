import Button from "@mui/material/Button";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ownAgent } from "./agent-calls.ts";

/** The way to an agent's own page; nothing for others. */
export const AgentLink = () => {
  const { t } = useTranslation();
  const { data } = useQuery(ownAgent);
  if (!data) return null;
  return (
    <Button component={Link} to="/topup/agent">
      {t("agents.own.title")}
    </Button>
  );
};
