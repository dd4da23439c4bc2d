import Log from "@mui/icons-material/ReceiptLongOutlined";
import Shield from "@mui/icons-material/ShieldOutlined";
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
import { GuardrailDrawer } from "./GuardrailDrawer.tsx";
import { definitionOf, deleteGuardrail, type GuardrailView, guardrails, updateGuardrail } from "./guardrail-calls.ts";

type Data = Readonly<{ navigate: ReturnType<typeof useNavigate>; names: readonly string[] }>;

const needs = "models:write";

const form = (guardrail: GuardrailView | null, close: () => void, { data }: ListContext<Data>) => (
  <GuardrailDrawer
    guardrail={guardrail}
    taken={data.names.filter((name) => name !== guardrail?.name)}
    onClose={close}
  />
);

/** What may go to models and come from them. */
export const GUARDRAILS: ResourceList<GuardrailView, object, Data> = {
  text: (name) => `guardrails.${name}`,
  icon: Shield,
  rows: { useAll: () => useQuery(guardrails), matches },
  rowId: ({ name }) => name,
  rowName: ({ name }) => name,
  unit: "guardrails.unit",
  columns: [
    { key: "name", isTitle: true, cell: namedCell },
    { key: "kind", kind: "choice", texts: "guardrails.kinds", width: 150, of: ({ kind = "words" }) => kind },
    { key: "action", kind: "choice", texts: "guardrails.actions", width: 120, of: ({ action = "block" }) => action },
    { key: "scope", cell: scopeOf },
    { key: "status", kind: "status", width: 140, of: statusOf },
  ],
  search: "guardrails.search",
  add: { name: "add", short: "guardrails.addShort", needs, open: form },
  actions: [
    editing(form, { needs }),
    {
      name: "log",
      icon: Log,
      run: ({ name }, { data }) => void data.navigate({ to: "/log", search: { guardrail: name } }),
    },
    ...switching<GuardrailView, Data>({
      needs,
      isOn: ({ enabled }) => enabled !== false,
      work: (guardrail, enabled) =>
        updateGuardrail(guardrail.name, guardrail.name, { ...definitionOf(guardrail), enabled }),
      done: { on: "guardrails.enabledToast", off: "guardrails.disabledToast" },
    }),
    deleting(({ name }) => deleteGuardrail(name), "guardrails.deletedToast", {
      needs,
      ask: { title: "guardrails.deleteTitle", body: "guardrails.deleteBody", action: "guardrails.deleteAction" },
    }),
  ],
  onRow: ["edit"],
  emptyFiltered: { title: "guardrails.empty.filteredTitle", body: "guardrails.empty.filteredBody" },
  isDim: ({ enabled }) => enabled === false,
  remembers: { as: "guardrails", columns: "widths" },
  useData: () => ({ navigate: useNavigate(), names: useQuery(guardrails).data?.map(({ name }) => name) ?? [] }),
};

/** For which calls it holds. */
function scopeOf(
  { groups, accounts, projects, keys, models, mcp_servers: mcpServers }: GuardrailView,
  { t }: ListContext<Data>,
) {
  const parts = Object.entries({ groups, accounts, projects, keys, models, mcpServers }).flatMap(([name, list]) =>
    list?.length ? [`${t(`guardrails.form.${name}`)}: ${list.join(t("explain.comma"))}`] : [],
  );
  if (parts.length === 0) return t("guardrails.form.all");
  return (
    <Row gap={1.5} wrap>
      {parts.map((part) => (
        <Tag key={part}>{part}</Tag>
      ))}
    </Row>
  );
}

function statusOf({ enabled = true, shadow = false }: GuardrailView): Status {
  if (!enabled) return { tone: "idle", text: "guardrails.status.disabled" };
  if (shadow) return { tone: "warn", text: "guardrails.status.shadow" };
  return { tone: "ok", quiet: true, text: "guardrails.status.enforced" };
}

/** Whether a name or description contains what is searched. */
function matches({ name, description = "" }: GuardrailView, { text: textOf }: FilterValues): boolean {
  const text = textOf("search").trim().toLowerCase();
  return [name, description].some((each) => each.toLowerCase().includes(text));
}

export const GuardrailListPage = () => <ListPage list={GUARDRAILS} />;
