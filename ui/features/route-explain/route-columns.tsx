import Box from "@mui/material/Box";
import LinearProgress from "@mui/material/LinearProgress";
import Link from "@mui/material/Link";
import { Link as RouterLink } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { ExplainedChannel } from "../../../src/gateway/routing/explain.ts";
import type { StickyChannel } from "../../../src/gateway/routing/explain-stickiness.ts";
import type { Column } from "../../components/data-table/column.ts";
import { Row } from "../../components/layout.tsx";
import { StatusChip } from "../../components/StatusChip.tsx";
import { exactTime } from "../../components/TimeAgo.tsx";

const TONES = { ready: "ok", cooling: "warn", disabled: "bad" } as const;

/** The columns of the answer: one row a channel. */
export function useRouteColumns(stuck: StickyChannel | null): Column<ExplainedChannel>[] {
  const { t, i18n } = useTranslation();
  return [
    {
      key: "name",
      head: t("routing.channel"),
      isTitle: true,
      cell: ({ id, name }) => (
        <Link component={RouterLink} to={`/channel/edit/${id}`}>
          {name}
        </Link>
      ),
    },
    { key: "tier", head: t("routing.tier"), width: 80, align: "right", cell: ({ tier }) => tier ?? "–" },
    {
      key: "share",
      head: t("routing.share"),
      width: 170,
      isSolid: true,
      cell: ({ share }) => (
        <Row gap={2}>
          <LinearProgress variant="determinate" value={share * 100} aria-hidden sx={{ width: 80 }} />
          <Box component="span" className="num">{`${Math.round(share * 100)}%`}</Box>
        </Row>
      ),
    },
    { key: "inFlight", head: t("routing.inFlight"), width: 100, align: "right", cell: ({ inFlight }) => inFlight },
    {
      key: "keys",
      head: t("routing.keys"),
      isSolid: true,
      cell: ({ keys }) => (
        <Row gap={1.5} wrap>
          {keys.map(({ index, state, until }) => (
            <StatusChip
              key={index}
              tone={TONES[state]}
              reason={until && t("routing.until", { time: exactTime(Math.ceil(until / 1000), i18n.language) })}
            >
              {`#${index + 1} ${t(`routing.states.${state}`)}`}
            </StatusChip>
          ))}
        </Row>
      ),
    },
    {
      key: "reasons",
      head: t("routing.reasons.head"),
      cell: ({ reasons, share }) => {
        if (reasons.length > 0) return reasons.map((reason) => t(`routing.reasons.${reason}`)).join(" · ");
        if (stuck?.holds) return t(share > 0 ? "routing.reasons.stuck" : "routing.reasons.stuckElsewhere");
        return t(share > 0 ? "routing.reasons.none" : "routing.reasons.later");
      },
    },
  ];
}
