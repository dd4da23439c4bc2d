import Usage from "@mui/icons-material/BarChartOutlined";
import Extension from "@mui/icons-material/ExtensionOutlined";
import Approve from "@mui/icons-material/FactCheckOutlined";
import Log from "@mui/icons-material/ReceiptLongOutlined";
import Refresh from "@mui/icons-material/Refresh";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Tag } from "../../../components/display/Tag.tsx";
import { Row } from "../../../components/layout.tsx";
import type { Status } from "../../../components/page/list/column-kinds.tsx";
import { ListPage } from "../../../components/page/list/ListPage.tsx";
import type { ListContext } from "../../../components/page/list/list-context.ts";
import type { FilterValues, ResourceList } from "../../../components/page/list/resource-list.ts";
import { deleting, editing, switching } from "../../../components/page/list/standard-actions.tsx";
import { namedCell } from "../named-cell.tsx";
import { McpServerDrawer } from "./McpServerDrawer.tsx";
import {
  definitionOf,
  deleteServer,
  type McpServerView,
  mcpServers,
  refreshServer,
  updateServer,
} from "./mcp-calls.ts";
import { ToolsDrawer } from "./ToolsDrawer.tsx";
import { UsageDrawer } from "./UsageDrawer.tsx";

type Data = Readonly<{ navigate: ReturnType<typeof useNavigate>; names: readonly string[] }>;

const needs = "models:write";

const form = (server: McpServerView | null, close: () => void, { data }: ListContext<Data>) => (
  <McpServerDrawer server={server} taken={data.names.filter((name) => name !== server?.name)} onClose={close} />
);

/** MCP servers whose tools callers may use. */
export const MCP_SERVERS: ResourceList<McpServerView, object, Data> = {
  text: (name) => `mcp.${name}`,
  icon: Extension,
  rows: { useAll: () => useQuery(mcpServers), matches },
  rowId: ({ id }) => id,
  rowName: ({ name }) => name,
  unit: "mcp.unit",
  columns: [
    { key: "name", isTitle: true, cell: namedCell },
    { key: "address", kind: "text", of: ({ url = "", command }) => command ?? URL.parse(url)?.host ?? "" },
    { key: "callers", cell: callersOf },
    { key: "tools", kind: "count", width: 110, of: "approved_tools" },
    { key: "waiting", kind: "count", width: 130, of: "waiting_tools" },
    { key: "checked", kind: "time", width: 150, of: "checked_at", none: "mcp.never" },
    { key: "status", kind: "status", width: 150, of: statusOf },
  ],
  search: "mcp.search",
  add: { name: "add", short: "mcp.addShort", needs, open: form },
  actions: [
    {
      name: "showTools",
      icon: Approve,
      open: (server, close) => <ToolsDrawer server={server} onClose={close} />,
    },
    editing(form, { needs }),
    {
      name: "refresh",
      icon: Refresh,
      needs,
      work: ({ id }) => refreshServer(id),
      done: "mcp.refreshed",
    },
    {
      name: "showUsage",
      icon: Usage,
      needs: "logs:read",
      open: ({ name }, close) => <UsageDrawer server={name} onClose={close} />,
    },
    {
      name: "log",
      icon: Log,
      run: ({ name }, { data }) => void data.navigate({ to: "/log", search: { model: `mcp/${name}/%` } }),
    },
    ...switching<McpServerView, Data>({
      needs,
      isOn: ({ enabled }) => enabled !== false,
      work: async (server, enabled) => {
        const definition = definitionOf(server);
        if (definition)
          await updateServer(server.id, {
            name: server.name,
            server: { ...definition, enabled },
            secret: "",
            document: "",
          });
      },
      done: { on: "mcp.enabledToast", off: "mcp.disabledToast" },
    }),
    deleting(({ id }) => deleteServer(id), "mcp.deletedToast", {
      needs,
      ask: { title: "mcp.deleteTitle", body: "mcp.deleteBody", action: "mcp.deleteAction" },
    }),
  ],
  onRow: ["showTools"],
  emptyFiltered: { title: "mcp.empty.filteredTitle", body: "mcp.empty.filteredBody" },
  isDim: ({ enabled }) => enabled === false,
  remembers: { as: "mcp-servers", columns: "widths" },
  useData: () => ({ navigate: useNavigate(), names: useQuery(mcpServers).data?.map(({ name }) => name) ?? [] }),
};

/** Who may use it. */
function callersOf({ groups, accounts, projects, keys }: McpServerView, { t }: ListContext<Data>) {
  const parts = Object.entries({ groups, accounts, projects, keys }).flatMap(([name, list]) =>
    list?.length ? [`${t(`mcp.form.${name}`)}: ${list.join(t("explain.comma"))}`] : [],
  );
  if (parts.length === 0) return t("mcp.form.all");
  return (
    <Row gap={1.5} wrap>
      {parts.map((part) => (
        <Tag key={part}>{part}</Tag>
      ))}
    </Row>
  );
}

function statusOf({ enabled = true, last_error: reason, waiting_tools: waiting }: McpServerView): Status {
  if (!enabled) return { tone: "idle", text: "mcp.status.disabled" };
  if (reason !== "") return { tone: "bad", text: "mcp.status.failing", reason };
  if (waiting > 0) return { tone: "warn", text: "mcp.status.waiting" };
  return { tone: "ok", quiet: true, text: "mcp.status.ready" };
}

/** Whether a name, description or address contains what is searched. */
function matches(
  { name, description = "", url = "", command = "" }: McpServerView,
  { text: textOf }: FilterValues,
): boolean {
  const text = textOf("search").trim().toLowerCase();
  return [name, description, url, command].some((each) => each.toLowerCase().includes(text));
}

export const McpServerListPage = () => <ListPage list={MCP_SERVERS} />;
