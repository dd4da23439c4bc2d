import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Table from "@mui/material/Table";
import TableBody from "@mui/material/TableBody";
import TableCell from "@mui/material/TableCell";
import TableHead from "@mui/material/TableHead";
import TableRow from "@mui/material/TableRow";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Money } from "../../../components/display/Money.tsx";
import { StatusChip, type ToneName } from "../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { Col, Panel, Row } from "../../../components/layout.tsx";
import { formatNumber } from "../../../lib/format/number.ts";
import { deleteSet, type EvaluationView, type ReplaySetView, replaySets } from "./replay-calls.ts";

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
        {evaluations.length > 0 && (
          <Box sx={{ overflowX: "auto" }}>
            <Table size="small" sx={{ minWidth: 640 }}>
              <TableHead>
                <TableRow>
                  <TableCell>{t("replays.evaluation")}</TableCell>
                  <TableCell>{t("replays.state")}</TableCell>
                  <TableCell align="right">{t("replays.progress")}</TableCell>
                  <TableCell align="right">{t("replays.failed")}</TableCell>
                  <TableCell align="right">{t("replays.spent")}</TableCell>
                </TableRow>
              </TableHead>
              <TableBody>
                {evaluations.map((evaluation) => (
                  <EvaluationRow key={evaluation.id} evaluation={evaluation} />
                ))}
              </TableBody>
            </Table>
          </Box>
        )}
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

const EvaluationRow = ({ evaluation }: Readonly<{ evaluation: EvaluationView }>) => {
  const { id, name, calls, done, failed, spent } = evaluation;
  return (
    <TableRow>
      <TableCell>
        <Link to="/replays" search={(now: object) => ({ ...now, evaluation: id })}>
          {name}
        </Link>
      </TableCell>
      <TableCell>
        <EvaluationStatus evaluation={evaluation} />
      </TableCell>
      <TableCell align="right" className="num">
        {formatNumber(done)} / {formatNumber(calls)}
      </TableCell>
      <TableCell align="right" className="num">
        {formatNumber(failed)}
      </TableCell>
      <TableCell align="right" className="num">
        <Money quota={spent} decimals={6} />
      </TableCell>
    </TableRow>
  );
};

const TONES: Readonly<Record<EvaluationView["status"], ToneName>> = {
  running: "info",
  stopped: "idle",
  over_budget: "warn",
  complete: "ok",
};

/** How far an evaluation is. */
export const EvaluationStatus = ({ evaluation: { status } }: Readonly<{ evaluation: EvaluationView }>) => {
  const { t } = useTranslation();
  return <StatusChip tone={TONES[status]}>{t(`replays.status.${status}`)}</StatusChip>;
};
