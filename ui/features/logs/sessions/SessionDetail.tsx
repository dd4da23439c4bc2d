import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import MenuItem from "@mui/material/MenuItem";
import Select from "@mui/material/Select";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { KeyValue } from "../../../components/display/KeyValue.tsx";
import { Money } from "../../../components/display/Money.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { Col, PageHeader, Panel } from "../../../components/layout.tsx";
import { FigureTable } from "../../../components/page/list/FigureTable.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { agentRows, nameOf } from "./agent-rows.ts";
import { type SessionKey, type SessionScope, type SessionView, sessionDetail, sessionList } from "./session-calls.ts";
import { FIGURES, figureOf } from "./session-figures.ts";
import { AGENTS_OF_SESSION, FIGURE_ROWS, FigureValue, SESSION_CALLS, SESSION_PAIR } from "./session-tables.tsx";

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
              <Box sx={{ maxWidth: FIGURES_PX }}>
                <FigureTable table={SESSION_PAIR} rows={FIGURE_ROWS} data={{ session: data, other }} isCompact />
              </Box>
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
              <FigureTable table={AGENTS_OF_SESSION} rows={agentRows(data.agents)} />
            </Panel>
          )}
          {data.steps.map(({ agent, step, calls }) => (
            <Panel
              key={`${agent} ${step}`}
              title={stepTitle(t, nameOf(data.agents, agent), step)}
              hint={<Money quota={calls.reduce((sum, { quota }) => sum + quota, 0)} decimals={6} />}
            >
              <FigureTable table={SESSION_CALLS} rows={calls} />
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

/** Wider, a figure stands too far from its name. */
const FIGURES_PX = 780;
