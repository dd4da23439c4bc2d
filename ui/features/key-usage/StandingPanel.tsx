import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Panel } from "../../components/layout.tsx";
import { Money } from "../../components/Money.tsx";
import { TimeAgo } from "../../components/TimeAgo.tsx";
import { type KeyStanding, keyStanding } from "./key-queries.ts";

/** What a key has left, has used, and until when it works; what the server says where it does not. */
export const StandingPanel = ({ apiKey }: { apiKey: string }) => {
  const { t } = useTranslation();
  const { data, error } = useQuery(keyStanding(apiKey));
  if (error)
    return (
      <Alert severity="warning" sx={{ mb: 4 }}>
        {error.message}
      </Alert>
    );
  return (
    <Panel title={data?.name ?? <Skeleton width={80} />} sx={{ mb: 4 }}>
      <Box sx={{ display: "grid", gap: 4, gridTemplateColumns: "repeat(auto-fit, minmax(140px, 1fr))" }}>
        <Figure name={t("keyUsage.remaining")}>
          {data && (data.unlimited_quota ? t("tokens.unlimited") : <Money quota={data.total_available} />)}
        </Figure>
        <Figure name={t("keyUsage.used")}>{data && <Money quota={data.total_used} />}</Figure>
        <Figure name={t("tokens.columns.expires")}>
          {data && (data.expires_at === 0 ? t("tokens.never") : <TimeAgo seconds={data.expires_at} />)}
        </Figure>
        <Figure name={t("tokens.columns.models")}>{data && modelsOf(data, t("tokens.allModels"))}</Figure>
      </Box>
    </Panel>
  );
};

const modelsOf = ({ model_limits_enabled, model_limits }: KeyStanding, all: string): string =>
  model_limits_enabled ? Object.keys(model_limits).join(", ") : all;

const Figure = ({ name, children }: { name: string; children: ReactNode }) => (
  <Box sx={{ minWidth: 0 }}>
    <Box sx={{ fontSize: 12, color: "text.tertiary" }}>{name}</Box>
    <Box className="num" sx={{ fontSize: 16, fontWeight: 560, overflowWrap: "anywhere" }}>
      {children ?? <Skeleton width={90} />}
    </Box>
  </Box>
);
