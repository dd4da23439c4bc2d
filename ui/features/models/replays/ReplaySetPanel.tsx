import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { deleteSet } from "../../../api/models/replays.ts";
import type { ToneName } from "../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { Col, Panel, Row } from "../../../components/layout.tsx";
import { StateChip } from "../../../components/page/list/column-kinds.tsx";
import { columnName, type Figures, FigureTable } from "../../../components/page/list/FigureTable.tsx";
import { formatNumber } from "../../../lib/format/number.ts";
import { type EvaluationView, type ReplaySetView, replaySets } from "./replay-form.ts";

type Props = Readonly<{ set: ReplaySetView; onReplay: () => void }>;

/** Requests that were set aside, and what they were replayed against. */
export const ReplaySetPanel = ({ set, onReplay }: Props) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const confirm = useConfirm();
  const { id, name, calls, skipped, evaluations, created_at: at } = set;
  const remove = async () => {
    const question = {
      title: t("replays.set.deleteTitle", { name }),
      body: t("replays.set.deleteBody"),
      action: t("replays.set.delete"),
      isDangerous: true,
    };
    if (!(await confirm(question))) return;
    await deleteSet(id).catch(notifyError);
    void client.invalidateQueries(replaySets);
  };
  const reasons = (["no_content", "cut", "acts"] as const).filter((reason) => (skipped[reason] ?? 0) > 0);
  return (
    <Panel
      title={name}
      hint={
        <Row gap={2} wrap>
          {t("replays.set.calls", { count: calls })}
          <TimeAgo seconds={at} />
        </Row>
      }
    >
      <Col gap={3}>
        {reasons.length > 0 && (
          <Box sx={{ fontSize: 12, color: "text.tertiary" }}>
            {reasons.map((reason) => t(`replays.skipped.${reason}`, { count: skipped[reason] ?? 0 })).join(" ")}
          </Box>
        )}
        {evaluations.length > 0 && <FigureTable table={EVALUATIONS} rows={evaluations} />}
        <Row gap={3} wrap>
          <Button variant="outlined" onClick={onReplay}>
            {t("replays.replay")}
          </Button>
          <Button onClick={() => void remove()}>{t("replays.set.delete")}</Button>
        </Row>
      </Col>
    </Panel>
  );
};

const TONES: Readonly<Record<EvaluationView["status"], ToneName>> = {
  running: "info",
  stopped: "idle",
  over_budget: "warn",
  complete: "ok",
};

/** What requests were replayed against, and how far that is. */
export const EVALUATIONS: Figures<EvaluationView> = {
  text: (name) => `replays.${columnName(name)}`,
  rowId: ({ id }) => id,
  rowName: ({ name }) => name,
  columns: [
    {
      key: "evaluation",
      isTitle: true,
      cell: ({ id, name }) => (
        <Link to="/replays" search={(now: object) => ({ ...now, evaluation: id })}>
          {name}
        </Link>
      ),
    },
    { key: "state", kind: "status", width: 160, of: statusOf },
    {
      key: "progress",
      width: 128,
      align: "right",
      cell: ({ done, calls }) => (
        <span className="num">
          {formatNumber(done)} / {formatNumber(calls)}
        </span>
      ),
    },
    { key: "failed", kind: "number", width: 96 },
    { key: "spent", kind: "money", width: 128, decimals: 6 },
  ],
};

function statusOf({ status }: EvaluationView) {
  return { tone: TONES[status], text: `replays.status.${status}` };
}

/** How far an evaluation is. */
export const EvaluationStatus = ({ evaluation }: Readonly<{ evaluation: EvaluationView }>) => (
  <StateChip of={statusOf(evaluation)} />
);
