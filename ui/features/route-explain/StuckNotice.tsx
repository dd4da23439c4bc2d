import Alert from "@mui/material/Alert";
import { useTranslation } from "react-i18next";
import type { Explanation } from "../../../src/gateway/routing/explain.ts";
import { exactTime } from "../../components/TimeAgo.tsx";

/** Whether the conversation that was asked about sticks to a channel and key, by what, and until when. */
export const StuckNotice = ({ stuck, channels }: Pick<Explanation, "stuck" | "channels">) => {
  const { t, i18n } = useTranslation();
  if (!stuck) return <Alert severity="info">{t("routing.stuck.no")}</Alert>;
  const { channelId, keyIndex, by, until, holds } = stuck;
  const place = {
    channel: channels.find(({ id }) => id === channelId)?.name ?? `#${channelId}`,
    key: keyIndex + 1,
    by: t(`routing.stuck.by.${by}`),
    time: exactTime(Math.ceil(until / 1000), i18n.language),
  };
  return holds ? (
    <Alert severity="success">{t("routing.stuck.yes", place)}</Alert>
  ) : (
    <Alert severity="warning">{t("routing.stuck.freed", place)}</Alert>
  );
};
