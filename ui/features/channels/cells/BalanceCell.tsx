import Warning from "@mui/icons-material/ErrorOutlineOutlined";
import Box from "@mui/material/Box";
import Tooltip from "@mui/material/Tooltip";
import { useTranslation } from "react-i18next";
import { Row } from "../../../components/layout.tsx";
import { exactTime } from "../../../components/TimeAgo.tsx";
import { balanceText } from "../balance.ts";
import type { Channel } from "../channel.ts";

type BalanceCellProps = Readonly<{
  channel: Channel /** Until it ends; undefined: not known. */;
  days: number | undefined;
}>;

/** The balance as the provider told it, when, and how long it lasts; a dash where it was never asked. */
export const BalanceCell = ({ channel, days }: BalanceCellProps) => {
  const { t, i18n } = useTranslation();
  const { balance_updated_time: time, balance_error: error, balance_low: isLow } = channel;
  const facts = [
    time ? t("channels.balanceAt", { time: exactTime(time, i18n.language) }) : t("channels.balanceNever"),
    days !== undefined && t("channels.balanceLasts", { count: days }),
    error !== "" && t("channels.balanceFailed", { reason: error }),
  ];
  return (
    <Tooltip title={facts.filter(Boolean).join(" · ")}>
      <span>
        <Row gap={1} sx={{ justifyContent: "flex-end" }}>
          {error !== "" && (
            <Warning
              titleAccess={t("channels.balanceFailed", { reason: error })}
              sx={{ fontSize: 15, color: "tone.warn.text" }}
            />
          )}
          <Box sx={{ lineHeight: "16px" }}>
            <Box
              className="num"
              sx={{
                color: time ? (isLow ? "tone.bad.text" : undefined) : "text.tertiary",
                fontWeight: isLow ? 550 : undefined,
              }}
            >
              {time ? balanceText(channel, i18n.language) : "–"}
            </Box>
            {days !== undefined && (
              <Box sx={{ fontSize: 11, color: "text.tertiary" }}>{t("channels.balanceDays", { count: days })}</Box>
            )}
          </Box>
        </Row>
      </span>
    </Tooltip>
  );
};
