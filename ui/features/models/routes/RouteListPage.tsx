import Explain from "@mui/icons-material/AltRouteOutlined";
import Split from "@mui/icons-material/CallSplitOutlined";
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
import { countConditions } from "./candidate-form.ts";
import { RouteDrawer } from "./RouteDrawer.tsx";
import { definitionOf, deleteRoute, type RouteView, routes, updateRoute } from "./route-calls.ts";

type Data = Readonly<{ navigate: ReturnType<typeof useNavigate>; names: readonly string[] }>;

const needs = "models:write";

const form = (route: RouteView | null, close: () => void, { data }: ListContext<Data>) => (
  <RouteDrawer route={route} taken={data.names.filter((name) => name !== route?.name)} onClose={close} />
);

/** Named routes: model names that stand for several models. */
export const ROUTES: ResourceList<RouteView, object, Data> = {
  text: (name) => `routes.${name}`,
  icon: Split,
  rows: { useAll: () => useQuery(routes), matches },
  rowId: ({ name }) => name,
  rowName: ({ name }) => name,
  unit: "routes.unit",
  columns: [
    { key: "name", isTitle: true, cell: namedCell },
    {
      key: "strategy",
      kind: "choice",
      texts: "routes.strategies",
      width: 132,
      of: (route) => route.strategy ?? "priority",
    },
    { key: "candidates", isSolid: true, cell: candidatesOf },
    { key: "status", kind: "status", width: 172, of: statusOf },
  ],
  search: "routes.search",
  add: { name: "add", short: "routes.addShort", needs, open: form },
  actions: [
    editing(form, { needs }),
    {
      name: "explain",
      icon: Explain,
      run: ({ name }, { data }) => void data.navigate({ to: "/router", search: { model: name } }),
    },
    ...switching<RouteView, Data>({
      needs,
      isOn: ({ enabled }) => enabled !== false,
      work: (route, enabled) => updateRoute(route.name, route.name, { ...definitionOf(route), enabled }),
      done: { on: "routes.enabledToast", off: "routes.disabledToast" },
    }),
    deleting(({ name }) => deleteRoute(name), "routes.deletedToast", {
      needs,
      ask: { title: "routes.deleteTitle", body: "routes.deleteBody", action: "routes.deleteAction" },
    }),
  ],
  onRow: ["edit"],
  emptyFiltered: { title: "routes.empty.filteredTitle", body: "routes.empty.filteredBody" },
  isDim: ({ enabled }) => enabled === false,
  remembers: { as: "routes", columns: "widths" },
  useData: () => ({ navigate: useNavigate(), names: useQuery(routes).data?.map(({ name }) => name) ?? [] }),
};

function candidatesOf({ candidates = [], strategy }: RouteView, { t }: ListContext<Data>) {
  return (
    <Row gap={1.5} wrap>
      {candidates.map((candidate) => {
        const conditions = countConditions(candidate);
        const weight = strategy === "weighted" ? ` × ${candidate.weight ?? 1}` : "";
        const note = conditions > 0 ? ` · ${t("routes.conditions", { count: conditions })}` : "";
        return <Tag key={JSON.stringify(candidate)}>{`${candidate.model}${weight}${note}`}</Tag>;
      })}
    </Row>
  );
}

/** Whether a route is enabled, and whether channels serve its models. */
function statusOf({ enabled = true, candidates = [], unserved }: RouteView, { t }: ListContext<Data>): Status {
  if (!enabled) return { tone: "idle", text: "routes.status.disabled" };
  if (unserved.length === 0) return { tone: "ok", quiet: true, text: "routes.status.enabled" };
  const isDead = candidates.every(({ model = "" }) => unserved.includes(model));
  return {
    tone: isDead ? "bad" : "warn",
    reason: t("routes.statusReason", { models: unserved.join(t("explain.comma")) }),
    text: isDead ? "routes.status.unserved" : "routes.status.partly",
  };
}

/** Whether a name or description of the route, or a model behind it, contains what is searched. */
function matches({ name, description = "", candidates = [] }: RouteView, { text: textOf }: FilterValues): boolean {
  const text = textOf("search").trim().toLowerCase();
  const texts = [name, description, ...candidates.map(({ model = "" }) => model)];
  return texts.some((each) => each.toLowerCase().includes(text));
}

export const RouteListPage = () => <ListPage list={ROUTES} />;
