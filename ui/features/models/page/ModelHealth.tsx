import Box from "@mui/material/Box";
import { useTranslation } from "react-i18next";
import type { ModelPageView } from "../../../../src/console/models/public-models.ts";
import { KeyValue } from "../../../components/display/KeyValue.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { SettingLink } from "../../../components/feedback/SettingLink.tsx";
import { Panel } from "../../../components/layout.tsx";
import { formatDuration } from "../../../lib/format/duration.ts";
import { formatNumber } from "../../../lib/format/number.ts";
import { useSession } from "../../../state/session.ts";
import { isSuperAdmin } from "../../../state/stored-user.ts";
import { DayBars, shareOrDash } from "./DayBars.tsx";

const TONE = { up: "ok", degraded: "warn", down: "bad" } as const;
const DAYS = 90;

/** State, availability and speed of a model, where the site publishes them. */
export const ModelHealth = ({ page: { model, status, speed } }: { page: ModelPageView }) => {
  const { t } = useTranslation();
  const { user } = useSession();
  if (!status || !speed) {
    // Only who can change it needs to know that it is missing.
    if (!isSuperAdmin(user)) return null;
    return (
      <Panel title={t("status.title")} action={<SettingLink tab="operation" field="StatusPageEnabled" />}>
        <Box sx={{ fontSize: 13, color: "text.secondary" }}>{t("model.statusOff")}</Box>
      </Panel>
    );
  }
  const share = shareOrDash(status.availability);
  const pair = (half: number | null, most: number | null) =>
    half === null ? "–" : `${formatDuration(half)} / ${formatDuration(most)}`;
  return (
    <Panel
      title={t("status.title")}
      action={<StatusChip tone={TONE[status.state]}>{t(`status.states.${status.state}`)}</StatusChip>}
    >
      <DayBars days={status.days} count={DAYS} label={t("status.daysOf", { model: model.model_name, share })} />
      <Box sx={{ mt: 3 }}>
        <KeyValue
          width={188}
          items={[
            [t("status.availability"), share],
            [t("model.firstToken"), pair(speed.first_token_p50_ms, speed.first_token_p95_ms)],
            [t("model.duration"), pair(speed.duration_p50_ms, speed.duration_p95_ms)],
            [
              t("model.rate"),
              speed.tokens_per_second === null
                ? "–"
                : t("model.perSecond", { rate: formatNumber(Math.round(speed.tokens_per_second)) }),
            ],
          ]}
        />
      </Box>
    </Panel>
  );
};
