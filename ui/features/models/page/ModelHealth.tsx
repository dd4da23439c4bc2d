import Box from "@mui/material/Box";
import { useTranslation } from "react-i18next";
import type { ModelPageView } from "../../../../src/console/models/public-models.ts";
import { KeyValue } from "../../../components/display/KeyValue.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { SettingLink } from "../../../components/feedback/SettingLink.tsx";
import { Panel } from "../../../components/layout.tsx";
import { formatDuration, formatSeconds } from "../../../lib/format/duration.ts";
import { formatNumber } from "../../../lib/format/number.ts";
import { formatDate } from "../../../lib/format/time.ts";
import { useSession } from "../../../state/session.ts";
import { isSuperAdmin } from "../../../state/stored-user.ts";
import { DayBars, shareOrDash } from "./DayBars.tsx";

const TONE = { up: "ok", degraded: "warn", down: "bad" } as const;
const DAYS = 90;

/** State, availability and speed of a model, where the site publishes them. */
export const ModelHealth = ({ page: { model, status, speed, incidents } }: { page: ModelPageView }) => {
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
      {incidents && <Incidents incidents={incidents} />}
    </Panel>
  );
};

const TIME = { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;

/** The times in which calls of the model failed, newest first. */
const Incidents = ({ incidents }: { incidents: NonNullable<ModelPageView["incidents"]> }) => {
  const { t, i18n } = useTranslation();
  const timeText = (seconds: number) => formatDate(seconds * 1000, i18n.language, TIME);
  return (
    <Box component="section" sx={{ mt: 4 }}>
      <Box component="h3" sx={{ m: 0, mb: 2, fontSize: 13, fontWeight: 600 }}>
        {t("model.incidents.title")}
      </Box>
      {incidents.length === 0 && (
        <Box sx={{ fontSize: 13, color: "text.secondary" }}>{t("model.incidents.none", { count: DAYS })}</Box>
      )}
      <Box component="ul" sx={{ m: 0, p: 0, listStyle: "none" }}>
        {incidents.map(({ start, end, state, share }) => (
          <Box
            component="li"
            key={start}
            sx={{
              display: "flex",
              flexWrap: "wrap",
              alignItems: "center",
              columnGap: 3,
              rowGap: 1,
              py: 2,
              borderTop: "1px solid",
              borderColor: "line.faint",
              fontSize: 13,
            }}
          >
            <StatusChip tone={TONE[state]} quiet>
              {t(`status.states.${state}`)}
            </StatusChip>
            <Box className="num" sx={{ flex: 1, minWidth: 160 }}>
              {end === null
                ? t("model.incidents.since", { start: timeText(start) })
                : `${timeText(start)} – ${timeText(end)} (${formatSeconds(end - start)})`}
            </Box>
            <Box className="num" sx={{ color: "text.secondary" }}>
              {t("model.incidents.share", { share: shareOrDash(share) })}
            </Box>
          </Box>
        ))}
      </Box>
    </Box>
  );
};
