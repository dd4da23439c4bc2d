import Box from "@mui/material/Box";
import { useTranslation } from "react-i18next";
import { Row } from "../../components/layout.tsx";
import { Money } from "../../components/Money.tsx";
import type { Token } from "./token.ts";

const NEARLY_USED_UP = 0.9;

/** What was used of what the key may spend, as a bar and in figures. */
export const QuotaCell = ({ token }: { token: Token }) => {
  const { t } = useTranslation();
  const { remain_quota: remaining, unlimited_quota: isUnlimited, budget_period: period } = token;
  const used = period === "" ? token.used_quota : Math.max(0, token.budget_quota - remaining);
  const share = used + remaining === 0 ? 0 : used / (used + remaining);
  return (
    <Row gap={2.5}>
      <Box
        aria-hidden
        sx={{
          width: 48,
          height: 4,
          flex: "none",
          borderRadius: 2,
          bgcolor: "tone.idle.tint",
          overflow: "hidden",
          visibility: isUnlimited ? "hidden" : "visible",
          display: isUnlimited ? { xs: "none", sm: "block" } : "block",
        }}
      >
        <Box
          sx={{
            width: `${share * 100}%`,
            height: "100%",
            bgcolor: share >= NEARLY_USED_UP ? "tone.bad.solid" : "primary.main",
          }}
        />
      </Box>
      <span>
        <Money quota={used} />
        <Box component="span" sx={{ color: "text.tertiary" }}>
          {" / "}
          {isUnlimited ? t("tokens.unlimited") : <Money quota={used + remaining} />}
          {period !== "" && ` ${t(`tokens.periodQuota.${period}`)}`}
        </Box>
      </span>
    </Row>
  );
};
