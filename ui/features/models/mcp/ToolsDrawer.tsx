import Withdraw from "@mui/icons-material/BlockOutlined";
import Approve from "@mui/icons-material/CheckCircleOutlineOutlined";
import Extension from "@mui/icons-material/ExtensionOutlined";
import Button from "@mui/material/Button";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { CodeBox } from "../../../components/display/CodeBox.tsx";
import { SideDrawer } from "../../../components/feedback/SideDrawer.tsx";
import type { Status } from "../../../components/page/list/column-kinds.tsx";
import { ListTable } from "../../../components/page/list/ListPage.tsx";
import type { ResourceList } from "../../../components/page/list/resource-list.ts";
import { approveTools, type McpServerView, mcpServers, mcpTools, type ToolView, withdrawTools } from "./mcp-calls.ts";
import { ToolDetail } from "./ToolDetail.tsx";

const needs = "models:write";

/** The tools of a server, to read and approve. */
export const toolsOf = (id: number): ResourceList<ToolView> => ({
  text: (name) => `mcp.tools.${name}`,
  icon: Extension,
  rows: { useAll: () => useQuery(mcpTools(id)), matches: () => true },
  rowId: ({ name }) => name,
  rowName: ({ name }) => name,
  unit: "mcp.tools.unit",
  columns: [
    { key: "name", isTitle: true, kind: "code" },
    { key: "state", kind: "status", width: 150, of: statusOf },
  ],
  actions: [
    {
      name: "approve",
      icon: Approve,
      needs,
      isShown: canApprove,
      work: (tool) => approveTools(id, [tool]),
      done: "mcp.tools.approvedToast",
    },
    {
      name: "withdraw",
      icon: Withdraw,
      needs,
      isShown: ({ approved }) => approved !== null,
      work: (tool) => withdrawTools(id, [tool]),
      done: "mcp.tools.withdrawnToast",
    },
  ],
  bulk: [
    {
      name: "approveAll",
      icon: Approve,
      needs,
      isDisabled: ({ rows }) => !rows.some(canApprove),
      work: ({ rows }) => approveTools(id, rows.filter(canApprove)),
      done: "mcp.tools.approvedAllToast",
    },
    {
      name: "withdrawAll",
      icon: Withdraw,
      needs,
      work: ({ rows }) => withdrawTools(id, rows),
      done: "mcp.tools.withdrawnAllToast",
    },
  ],
  detail: (tool) => <ToolDetail serverId={id} tool={tool} />,
  reload: [mcpServers],
});

const canApprove = ({ state }: ToolView): boolean => state === "new" || state === "changed";

const TONES = { approved: "ok", new: "warn", changed: "bad", removed: "idle" } as const;

const statusOf = ({ state }: ToolView): Status => ({
  tone: TONES[state],
  text: `mcp.tools.states.${state}`,
  ...(state === "approved" && { quiet: true }),
});

/** What callers get of a server, and what waits for approval. */
export const ToolsDrawer = ({ server, onClose }: Readonly<{ server: McpServerView; onClose: () => void }>) => {
  const { t } = useTranslation();
  const list = useMemo(() => toolsOf(server.id), [server.id]);
  return (
    <SideDrawer
      title={t("mcp.tools.title", { name: server.name })}
      subtitle={t("mcp.tools.subtitle")}
      onClose={onClose}
      footer={(close) => <Button onClick={close}>{t("mcp.tools.close")}</Button>}
    >
      {server.output !== "" && (
        <CodeBox
          code={server.output}
          label={t("mcp.tools.output")}
          sx={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere", mb: 3 }}
        />
      )}
      <ListTable list={list} />
    </SideDrawer>
  );
};
