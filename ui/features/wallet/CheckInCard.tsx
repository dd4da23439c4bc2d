import Check from "@mui/icons-material/Check";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { CheckInStatus } from "../../../src/domain/wallet/check-ins.ts";
import { amountText, dollars, exactAmountText, useMoneyFormat } from "../../components/display/Money.tsx";
import { notifyDone, notifyError } from "../../components/feedback/notify.tsx";
import { Panel } from "../../components/layout.tsx";
import { formatDate } from "../../lib/format/time.ts";
import { useSite } from "../../state/site-status.ts";
import { checkIn, checkInStatus } from "./wallet-calls.ts";

const PLACE_PX = 90;

/** The daily check-in and the last seven days; renders nothing if check-ins are off. */
export const CheckInCard = () => {
  const { t } = useTranslation();
  const format = useMoneyFormat();
  const client = useQueryClient();
  const { data, isPending } = useQuery(checkInStatus);
  const isOffered = useSite()?.check_in_enabled;
  const enter = useMutation({
    mutationFn: checkIn,
    onSuccess: (quota) => notifyDone(t("rewards.checkIn.done", { amount: dollars(quota, format.quotaPerUnit, 6) })),
    onError: notifyError,
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: checkInStatus.queryKey }),
        client.invalidateQueries({ queryKey: ["self"] }),
      ]),
  });
  // Reserves its space, so that the cards around it don't move.
  if (isPending && isOffered) {
    return (
      <Panel title={t("rewards.checkIn.title")}>
        <Skeleton variant="rounded" height={PLACE_PX} />
      </Panel>
    );
  }
  if (!data?.enabled) return null;
  const amount = (quota: number) => exactAmountText(quota, format);
  const range = data.least === data.most ? amount(data.least) : `${amount(data.least)} – ${amount(data.most)}`;
  return (
    <Panel
      title={t("rewards.checkIn.title")}
      hint={data.streak > 0 && t("rewards.checkIn.streak", { count: data.streak })}
      action={
        <Box className="num" sx={{ fontSize: 12, color: "text.secondary" }}>
          {t("rewards.checkIn.range", { range })}
        </Box>
      }
    >
      <Week week={data.week} />
      <Button
        fullWidth
        startIcon={<Check />}
        onClick={() => enter.mutate()}
        loading={enter.isPending}
        disabled={!data.can_check_in}
        sx={{ mt: 3 }}
      >
        {data.can_check_in || data.unmet ? t("rewards.checkIn.action") : t("rewards.checkIn.already")}
      </Button>
      {data.unmet && (
        <Box sx={{ mt: 2, fontSize: 12, color: "text.secondary" }}>
          {t(`rewards.checkIn.unmet.${data.unmet}`, { count: data.needed_requests })}
        </Box>
      )}
    </Panel>
  );
};

const Week = ({ week }: { week: CheckInStatus["week"] }) => {
  const { t, i18n } = useTranslation();
  const format = useMoneyFormat();
  const dayName = (ms: number) => formatDate(ms, i18n.language, { weekday: "narrow", timeZone: "UTC" });
  const fullName = (ms: number) => formatDate(ms, i18n.language, { dateStyle: "medium", timeZone: "UTC" });
  return (
    <Box
      component="ol"
      aria-label={t("rewards.checkIn.week")}
      sx={{
        m: 0,
        p: 0,
        listStyle: "none",
        display: "grid",
        gridTemplateColumns: "repeat(7, minmax(0, 1fr))",
        gap: 1.5,
      }}
    >
      {week.map(({ day, quota }, index) => {
        const date = Date.parse(`${day}T00:00:00Z`);
        const isToday = index === week.length - 1;
        // The columns are narrow; rewards below a cent would look like zero.
        const decimals = (quota ?? 0) * 100 < format.quotaPerUnit ? 3 : 2;
        const gained = quota === null ? null : amountText(quota, format, decimals).replace("$", "");
        return (
          <Box
            component="li"
            key={day}
            aria-label={`${fullName(date)}: ${quota === null ? t("rewards.checkIn.missed") : exactAmountText(quota, format)}`}
            sx={{
              py: 1,
              textAlign: "center",
              fontSize: 12,
              lineHeight: "18px",
              overflow: "hidden",
              border: "1px solid",
              borderColor: isToday ? "primary.main" : "line.main",
              borderRadius: "6px",
              bgcolor: quota === null ? "surface.paper" : "surface.sunken",
            }}
          >
            <Box sx={{ color: "text.secondary" }}>{dayName(date)}</Box>
            <Box className="num" sx={{ fontWeight: quota === null ? 400 : 600 }}>
              {gained ?? "–"}
            </Box>
          </Box>
        );
      })}
    </Box>
  );
};
