import NotificationAdd from "@mui/icons-material/NotificationAddOutlined";
import Box from "@mui/material/Box";
import ButtonBase from "@mui/material/ButtonBase";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { lastsDays } from "../../../src/domain/logs/usage/pace/pace-rules.ts";
import { type PaceOf, paceOf } from "../../api/accounts/pace.ts";
import { Tip } from "../../components/tip/Tip.tsx";
import { type AlertLink, alertAddress } from "./alert-link.ts";

type LastsProps = Readonly<{
  of: PaceOf;
  /** Of the user or API key. */
  id: number;
  /** Quota units. */
  balance: number;
  /** The alert that one click prepares, by the pace of a day in quota units; null: whoever looks may have none. */
  alert: ((daily: number) => AlertLink) | null;
}>;

/** For how many days a balance lasts at the pace of the last week, and the way to an alert; nothing where nothing was spent. */
export const Lasts = ({ of, id, balance, alert }: LastsProps) => {
  const { data: daily = 0 } = useQuery(paceOf(of, id));
  const days = lastsDays(balance, daily);
  return days === null || balance <= 0 ? null : <LastsDays days={days} alert={alert && (() => alert(daily))} />;
};

/** So many days, as text or as the way to an alert. */
export const LastsDays = ({ days, alert }: Readonly<{ days: number; alert: (() => AlertLink) | null }>) => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const text = t("components.lasts", { count: days });
  const tone = days < SOON_DAYS ? "tone.warn.text" : "text.tertiary";
  const exact = t("components.balanceLasts", { count: days });
  if (!alert)
    return (
      <Tip title={exact}>
        <Box component="span" className="num" sx={{ fontSize: 11.5, color: tone }}>
          {text}
        </Box>
      </Tip>
    );
  return (
    <Tip title={`${exact} · ${t("components.setAlert")}`}>
      <ButtonBase
        className="num"
        aria-label={`${text}: ${t("components.setAlert")}`}
        onClick={(event) => {
          event.stopPropagation();
          void navigate(alertAddress(alert()));
        }}
        sx={{ gap: 0.75, fontSize: 11.5, lineHeight: "16px", color: tone, "&:hover": { color: "text.primary" } }}
      >
        {text}
        <NotificationAdd sx={{ fontSize: 13 }} />
      </ButtonBase>
    </Tip>
  );
};

const SOON_DAYS = 7;
