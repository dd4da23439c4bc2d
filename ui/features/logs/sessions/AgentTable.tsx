import Box from "@mui/material/Box";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Column } from "../../../components/data-table/column.ts";
import { DataTable } from "../../../components/data-table/DataTable.tsx";
import { useDataTable } from "../../../components/data-table/use-data-table.ts";
import { Money } from "../../../components/display/Money.tsx";
import { formatDuration } from "../../../lib/format/duration.ts";
import { formatNumber } from "../../../lib/format/number.ts";
import { type AgentRow, agentRows } from "./agent-rows.ts";
import type { AgentNode } from "./session-calls.ts";

/** The agents of a session as a tree, with the figures of each branch. */
export const AgentTable = ({ root }: Readonly<{ root: AgentNode }>) => {
  const { t } = useTranslation();
  const columns = useMemo((): readonly Column<AgentRow>[] => {
    const figure = (key: "calls" | "failed" | "tools" | "prompt" | "cached" | "completion", width: number) => ({
      key,
      head: t(`sessions.columns.${key}`),
      width,
      align: "right" as const,
      cell: ({ node: { branch } }: AgentRow) => <span className="num">{formatNumber(branch[FIELDS[key]])}</span>,
    });
    return [
      {
        key: "agent",
        head: t("sessions.columns.agent"),
        isTitle: true,
        cell: ({ node: { agent, name }, depth }) => (
          <Box component="span" title={agent} sx={{ pl: depth * 3, overflow: "hidden", textOverflow: "ellipsis" }}>
            {agent === "" ? t("sessions.mainAgent") : name || agent}
          </Box>
        ),
      },
      figure("calls", 96),
      figure("failed", 88),
      figure("tools", 104),
      figure("prompt", 112),
      figure("cached", 104),
      figure("completion", 112),
      {
        key: "busy",
        head: t("sessions.columns.busy"),
        width: 128,
        align: "right",
        cell: ({ node: { branch } }) => <span className="num">{formatDuration(branch.elapsed_ms)}</span>,
      },
      {
        key: "cost",
        head: t("sessions.columns.cost"),
        width: 104,
        align: "right",
        cell: ({ node: { branch } }) => <Money quota={branch.quota} decimals={6} />,
      },
    ];
  }, [t]);
  const rows = useMemo(() => agentRows(root), [root]);
  const model = useDataTable({
    columns,
    rows,
    rowId: ({ node }) => node.agent,
    rowName: ({ node: { agent, name } }) => name || agent || t("sessions.mainAgent"),
  });
  return <DataTable model={model} error={null} onRetry={() => {}} empty={null} />;
};

const FIELDS = {
  calls: "calls",
  failed: "failed",
  tools: "tool_calls",
  prompt: "prompt_tokens",
  cached: "cached_tokens",
  completion: "completion_tokens",
} as const;
