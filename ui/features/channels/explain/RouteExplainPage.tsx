import AltRoute from "@mui/icons-material/AltRouteOutlined";
import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import LinearProgress from "@mui/material/LinearProgress";
import Link from "@mui/material/Link";
import { useMutation } from "@tanstack/react-query";
import { Link as RouterLink } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { ExplainedChannel, Explanation, StickyChannel } from "../../../../src/gateway/quality/explain.ts";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { PageHeader, Row } from "../../../components/layout.tsx";
import { columnName, type Figures, FigureTable } from "../../../components/page/list/FigureTable.tsx";
import { exactTime } from "../../../lib/format/time.ts";
import { RouteChoice } from "./RouteChoice.tsx";
import { explainRoute, RouteForm } from "./RouteForm.tsx";

/** Explains which channel a call would use, and why not the others. */
export const RouterExplainPage = () => {
  const { t } = useTranslation();
  const answer = useMutation({ mutationFn: explainRoute });
  return (
    <>
      <PageHeader title={t("explain.title")} purpose={t("explain.purpose")} />
      <RouteForm isAsking={answer.isPending} onAsk={answer.mutate} />
      {answer.data && answer.variables?.request && (
        <Box sx={{ mb: 4 }}>
          <StickyNotice {...answer.data} />
        </Box>
      )}
      {answer.data && answer.data.fallbacks.length > 0 && (
        <Box sx={{ mb: 4 }}>
          <Alert severity="info">
            {t("explain.fallbacks", { models: answer.data.fallbacks.join(t("explain.comma")) })}
          </Alert>
        </Box>
      )}
      {answer.data?.route && <RouteChoice route={answer.data.route} />}
      {answer.isIdle ? (
        <EmptyState icon={<AltRoute />} title={t("explain.idleTitle")} body={t("explain.idleBody")} />
      ) : (
        <FigureTable
          table={EXPLAINED_CHANNELS}
          rows={answer.data?.channels}
          data={answer.data?.sticky ?? null}
          error={answer.error}
          onRetry={() => answer.variables && answer.mutate(answer.variables)}
          empty={
            <EmptyState
              icon={<AltRoute />}
              title={t("explain.emptyTitle")}
              body={t(answer.data?.fallbacks.length ? "explain.emptyFallback" : "explain.emptyBody")}
            />
          }
        />
      )}
    </>
  );
};

/** Whether the conversation sticks to a channel and key, by which affinity key, and until when. */
const StickyNotice = ({ sticky, channels }: Pick<Explanation, "sticky" | "channels">) => {
  const { t, i18n } = useTranslation();
  if (!sticky) return <Alert severity="info">{t("explain.sticky.no")}</Alert>;
  const { channelId, keyIndex, by, until, holds } = sticky;
  const place = {
    channel: channels.find(({ id }) => id === channelId)?.name ?? `#${channelId}`,
    key: keyIndex + 1,
    by: t(`explain.sticky.by.${by}`),
    time: exactTime(Math.ceil(until / 1000), i18n.language),
  };
  return holds ? (
    <Alert severity="success">{t("explain.sticky.yes", place)}</Alert>
  ) : (
    <Alert severity="warning">{t("explain.sticky.freed", place)}</Alert>
  );
};

const TONES = { ready: "ok", cooling: "warn", disabled: "bad" } as const;

/** The channels of a model: which would be used, and why not the others. */
export const EXPLAINED_CHANNELS: Figures<ExplainedChannel, StickyChannel | null> = {
  text: (name) => `explain.${columnName(name)}`,
  rowId: ({ id }) => id,
  rowName: ({ name }) => name,
  columns: [
    {
      key: "channel",
      isTitle: true,
      cell: ({ id, name }) => (
        <Link component={RouterLink} to={`/channel/edit/${id}`}>
          {name}
        </Link>
      ),
    },
    { key: "tier", width: 110, align: "right", cell: ({ tier }) => tier ?? "–" },
    {
      key: "share",
      width: 170,
      isSolid: true,
      cell: ({ share }) => (
        <Row gap={2}>
          <LinearProgress variant="determinate" value={share * 100} aria-hidden sx={{ width: 80 }} />
          <Box component="span" className="num">{`${Math.round(share * 100)}%`}</Box>
        </Row>
      ),
    },
    { key: "inFlight", kind: "number", width: 100 },
    {
      key: "keys",
      isSolid: true,
      cell: ({ keys }, { t, language }) => (
        <Row gap={1.5} wrap>
          {keys.map(({ index, state, until }) => (
            <StatusChip
              key={index}
              tone={TONES[state]}
              reason={until && t("explain.until", { time: exactTime(Math.ceil(until / 1000), language) })}
            >
              {`#${index + 1} ${t(`explain.states.${state}`)}`}
            </StatusChip>
          ))}
        </Row>
      ),
    },
    {
      key: "reasons",
      head: "explain.reasons.head",
      cell({ reasons, share, policy }, { t, data: sticky }) {
        if (reasons.length > 0) {
          const by = policy && {
            policy: policy.name,
            organization: policy.organization,
            context: policy.isOfProject ? "project" : "organization",
          };
          return reasons.map((reason) => t(`explain.reasons.${reason}`, by ?? {})).join(" · ");
        }
        if (sticky?.holds) return t(share > 0 ? "explain.reasons.sticky" : "explain.reasons.stickyElsewhere");
        return t(share > 0 ? "explain.reasons.none" : "explain.reasons.later");
      },
    },
  ],
};
