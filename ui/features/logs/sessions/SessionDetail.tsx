import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import MenuItem from "@mui/material/MenuItem";
import Select from "@mui/material/Select";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { TFunction } from "i18next";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Column } from "../../../components/data-table/column.ts";
import { DataTable } from "../../../components/data-table/DataTable.tsx";
import { useDataTable } from "../../../components/data-table/use-data-table.ts";
import { KeyValue } from "../../../components/display/KeyValue.tsx";
import { Money } from "../../../components/display/Money.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { Col, PageHeader, Panel } from "../../../components/layout.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { formatDuration } from "../../../lib/format/duration.ts";
import { formatNumber, formatShare } from "../../../lib/format/number.ts";
import { clockTime } from "../../../lib/format/time.ts";
import { AgentTable } from "./AgentTable.tsx";
import { nameOf } from "./agent-rows.ts";
import {
  type SessionCall,
  type SessionKey,
  type SessionScope,
  type SessionView,
  sessionDetail,
  sessionList,
} from "./session-calls.ts";
import { differenceOf, FIGURES, type Figure, figureOf } from "./session-figures.ts";

type SessionDetailProps = Readonly<{ scope: SessionScope; session: SessionKey }>;

/** One run of an agent: its figures, those of another run next to them, and its requests by step. */
export const SessionDetail = ({ scope, session }: SessionDetailProps) => {
  const { t } = useTranslation();
  const address = useAddress();
  const { data, error, refetch } = useQuery(sessionDetail(scope, session));
  const list = useQuery(sessionList(scope, "")).data ?? NO_SESSIONS;
  const other = list.find((each) => keyOf(each) === address.text("with"));
  const choices = list.filter(({ id, user_id }) => id !== session.id || user_id !== data?.user_id);
  return (
    <>
      <PageHeader
        title={t("sessions.one", { id: session.id })}
        purpose={data ? t("sessions.by", { user: data.username, key: data.token_name }) : " "}
        actions={
          <Button component={Link} to="/sessions">
            {t("sessions.back")}
          </Button>
        }
      />
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton variant="rounded" height={240} />}
      {data && (
        <Col gap={4}>
          <Panel
            title={t("sessions.figures")}
            action={
              <Select
                size="small"
                value={other ? keyOf(other) : ""}
                displayEmpty
                onChange={({ target }) => address.set({ with: target.value || undefined })}
                inputProps={{ "aria-label": t("sessions.compare") }}
              >
                <MenuItem value="">{t("sessions.noCompare")}</MenuItem>
                {choices.map((each) => (
                  <MenuItem key={keyOf(each)} value={keyOf(each)}>
                    {each.id}
                  </MenuItem>
                ))}
              </Select>
            }
          >
            {other ? (
              <FigureTable session={data} other={other} />
            ) : (
              <KeyValue
                width={160}
                items={FIGURES.map((figure) => [
                  t(`sessions.columns.${figure}`),
                  <FigureValue key={figure} figure={figure} value={figureOf(data, figure)} />,
                ])}
              />
            )}
          </Panel>
          {data.agents.children.length > 0 && (
            <Panel title={t("sessions.agents")} hint={t("sessions.agentsHint")}>
              <AgentTable root={data.agents} />
            </Panel>
          )}
          {data.steps.map(({ agent, step, calls }) => (
            <Panel
              key={`${agent} ${step}`}
              title={stepTitle(t, nameOf(data.agents, agent), step)}
              hint={<Money quota={calls.reduce((sum, { quota }) => sum + quota, 0)} decimals={6} />}
            >
              <CallTable calls={calls} />
            </Panel>
          ))}
        </Col>
      )}
    </>
  );
};

/** Which agent and step requests are of; null: the session has one agent. */
function stepTitle(t: TFunction, agent: string | null, step: string): string {
  if (agent === null) return step === "" ? t("sessions.noStep") : t("sessions.step", { step });
  const name = agent === "" ? t("sessions.mainAgent") : agent;
  return step === "" ? name : t("sessions.agentStep", { agent: name, step });
}

const NO_SESSIONS: readonly SessionView[] = [];
const keyOf = ({ user_id, id }: SessionView) => `${user_id} ${id}`;

type FigureRow = Readonly<{ figure: Figure }>;
const ROWS: readonly FigureRow[] = FIGURES.map((figure) => ({ figure }));

const FigureTable = ({ session, other }: Readonly<{ session: SessionView; other: SessionView }>) => {
  const { t } = useTranslation();
  const columns = useMemo((): readonly Column<FigureRow>[] => {
    const valueCell = (of: SessionView, figure: Figure) => <FigureValue figure={figure} value={figureOf(of, figure)} />;
    return [
      {
        key: "metric",
        head: t("sessions.columns.metric"),
        isTitle: true,
        cell: ({ figure }) => t(`sessions.columns.${figure}`),
      },
      { key: "value", head: session.id, width: 180, align: "right", cell: ({ figure }) => valueCell(session, figure) },
      { key: "other", head: other.id, width: 180, align: "right", cell: ({ figure }) => valueCell(other, figure) },
      {
        key: "difference",
        head: t("sessions.columns.difference"),
        width: 120,
        align: "right",
        cell: ({ figure }) => {
          const share = differenceOf(figureOf(session, figure), figureOf(other, figure));
          if (share === null) return "–";
          return <span className="num">{`${share > 0 ? "+" : ""}${formatShare(share)}`}</span>;
        },
      },
    ];
  }, [t, session, other]);
  const model = useDataTable({
    columns,
    rows: ROWS,
    rowId: ({ figure }) => figure,
    rowName: ({ figure }) => figure,
  });
  return (
    <Box sx={{ maxWidth: FIGURES_PX }}>
      <DataTable model={model} error={null} onRetry={() => {}} empty={null} isCompact />
    </Box>
  );
};

/** Wider, a figure stands too far from its name. */
const FIGURES_PX = 780;

const FigureValue = ({ figure, value }: Readonly<{ figure: Figure; value: number }>) => {
  if (figure === "cost") return <Money quota={value} decimals={6} />;
  const isTime = figure === "duration" || figure === "busy";
  return <span className="num">{isTime ? formatDuration(value) : formatNumber(value)}</span>;
};

const CallTable = ({ calls }: Readonly<{ calls: readonly SessionCall[] }>) => {
  const { t } = useTranslation();
  const columns = useMemo((): readonly Column<SessionCall>[] => {
    const number = (key: "prompt" | "cached" | "completion", read: (call: SessionCall) => number) => ({
      key,
      head: t(`sessions.columns.${key}`),
      width: 112,
      align: "right" as const,
      cell: (call: SessionCall) => <span className="num">{formatNumber(read(call))}</span>,
    });
    return [
      { key: "time", head: t("sessions.columns.time"), width: 88, cell: ({ created_at }) => clockTime(created_at) },
      {
        key: "model",
        head: t("sessions.columns.model"),
        isTitle: true,
        cell: ({ model, request_id, failed }) => (
          <Box sx={{ display: "flex", gap: 2 }}>
            <Link to="/log/$requestId" params={{ requestId: request_id }}>
              {model}
            </Link>
            {failed && <StatusChip tone="bad">{t("sessions.columns.failed")}</StatusChip>}
          </Box>
        ),
      },
      { key: "tools", head: t("sessions.columns.tools"), width: 140, cell: ({ tools }) => tools.join(", ") || "–" },
      number("prompt", ({ prompt_tokens }) => prompt_tokens),
      number("cached", ({ cached_tokens }) => cached_tokens),
      number("completion", ({ completion_tokens }) => completion_tokens),
      {
        key: "firstToken",
        head: t("sessions.columns.firstToken"),
        width: 96,
        align: "right",
        cell: ({ first_token_ms }) => <span className="num">{formatDuration(first_token_ms)}</span>,
      },
      {
        key: "duration",
        head: t("sessions.columns.duration"),
        width: 96,
        align: "right",
        cell: ({ elapsed_ms }) => <span className="num">{formatDuration(elapsed_ms)}</span>,
      },
      {
        key: "cost",
        head: t("sessions.columns.cost"),
        width: 104,
        align: "right",
        cell: ({ quota }) => <Money quota={quota} decimals={6} />,
      },
    ];
  }, [t]);
  const model = useDataTable({
    columns,
    rows: calls,
    rowId: ({ request_id }) => request_id,
    rowName: ({ model: name }) => name,
  });
  return <DataTable model={model} error={null} onRetry={() => {}} empty={null} />;
};
